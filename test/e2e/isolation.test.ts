import { Module } from '@nestjs/common';
import { LazyModuleLoader, ModulesContainer, NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import {
  DuplicateModuleError,
  EventBus,
  Leadership,
  LifecycleComponent,
  LifecycleModule,
  Registry,
  type LifecycleRootOptions,
  type StartContext,
} from 'nestjs-lifecycle';
import { Apps, RecordingLogger, rootModule, statusOf } from '../fixtures/apps.js';
import { CountingClock } from '../fixtures/counting-clock.js';
import { RecordingElector } from '../fixtures/recording-elector.js';
import { aborted, until } from '../fixtures/until.js';

const apps = new Apps();
let journal: string[];
const record = (entry: string) => void journal.push(entry);

beforeEach(() => {
  journal = [];
});

@LifecycleComponent()
class Feed {
  async start({ signal }: StartContext): Promise<void> {
    record('feed starts');
    await aborted(signal);
    record('feed stopped');
  }
}

@LifecycleComponent(true)
class Job {
  start(): void {
    record('job starts');
  }

  stop(): void {
    record('job stopped');
  }
}

const lifecycle = (options: LifecycleRootOptions = {}) =>
  LifecycleModule.forRoot({ logger: new RecordingLogger(), ...options });

describe('two apps in one process', () => {
  it('do not see each other: components, leadership, events, health and shutdown are of each alone', async () => {
    const boot = (name: string, component: new () => object) =>
      apps.listen({ imports: [lifecycle({ identity: name })], providers: [component, Job] });
    @LifecycleComponent()
    class Broken {
      start({ fail }: StartContext): void {
        setImmediate(() => fail(new Error('broke')));
      }
      stop(): void {
        // Down at once.
      }
    }
    const [one, two] = [await boot('one', Feed), await boot('two', Broken)];
    expect(Object.keys(one.get(Registry).status())).toEqual(['Feed', 'Job']);
    expect(Object.keys(two.get(Registry).status())).toEqual(['Broken', 'Job']);
    await until(() => one.get(Leadership).isLeader() && two.get(Leadership).isLeader());
    await until(async () => (await statusOf(two, '/health/ready')) === 503);
    await expect(statusOf(one, '/health/ready')).resolves.toBe(200);
    await expect(statusOf(one, '/health/live')).resolves.toBe(200);

    const heard: unknown[] = [];
    one.get(EventBus).emitter.on('lifecycle.**', (event) => heard.push(event));
    await apps.close(two);
    expect(heard).toEqual([]);
    expect(one.get(Registry).status()).toMatchObject({ Feed: { status: 'running' } });
    expect(one.get(Leadership).isLeader()).toBe(true);
  });

  it('may be of the same root module', async () => {
    const root = rootModule({ imports: [lifecycle()], providers: [Feed] });
    const [one, two] = [await apps.listen(root), await apps.listen(root)];
    expect(one.get(Registry)).not.toBe(two.get(Registry));
    await apps.close(one);
    expect(two.get(Registry).status()).toMatchObject({ Feed: { status: 'running' } });
  });
});

describe('the module twice in one app', () => {
  const refusal = (imports: object[]) =>
    apps.listen({ imports: imports as never, providers: [Feed] }).then(
      () => 'booted',
      (error: unknown) => error,
    );

  it.each([
    ['forRoot() twice', () => [lifecycle(), lifecycle({ identity: 'two' })]],
    ['forRoot() and forRootAsync()', () => [lifecycle(), LifecycleModule.forRootAsync({ useFactory: () => ({}) })]],
    [
      'forRootAsync() twice, local',
      () => [0, 1].map(() => LifecycleModule.forRootAsync({ isGlobal: false, useFactory: () => ({}) })),
    ],
    [
      'forRoot() in the root and in a feature module',
      () => {
        @Module({ imports: [lifecycle({ identity: 'feature' })] })
        class FeatureModule {}
        return [FeatureModule, lifecycle()];
      },
    ],
  ])('is refused: %s', async (_, imports) => {
    const error = await refusal(imports());
    expect(error).toBeInstanceOf(DuplicateModuleError);
    expect(error).toMatchObject({ code: 'ERR_LIFECYCLE_DUPLICATE_MODULE' });
    expect(journal).toEqual([]);
  });

  it('is one when it is the same dynamic module, or the bare class beside it', async () => {
    const one = lifecycle();
    @Module({ imports: [one, LifecycleModule] })
    class FeatureModule {}
    await expect(refusal([FeatureModule, one, LifecycleModule])).resolves.toBe('booted');
    expect(journal).toEqual(['feed starts']);
  });

  it('is refused when the second one is loaded lazily, and the first goes on', async () => {
    const app = await apps.listen({ imports: [lifecycle()], providers: [Feed] });
    await expect(app.get(LazyModuleLoader).load(() => lifecycle({ identity: 'lazy' }))).rejects.toBeInstanceOf(
      DuplicateModuleError,
    );
    expect(app.get(Registry).status()).toMatchObject({ Feed: { status: 'running' } });
  });
});

describe('hooks that Nest runs twice', () => {
  it('as for an app made of a testing module that was initialised itself, start everything once', async () => {
    const module = await Test.createTestingModule({
      imports: [lifecycle({ elector: new RecordingElector(record) })],
      providers: [Feed, Job],
    }).compile();
    await module.init();
    const app = module.createNestApplication({ logger: false });
    await app.init();
    await until(() => journal.includes('job starts'));
    expect(journal).toEqual(['feed starts', 'campaigning', 'elected', 'job starts']);
    await app.close();
    await module.close();
    expect(new Set(journal).size).toBe(journal.length);
    expect(journal).toContain('feed stopped');
  });
});

describe('what an app leaves behind', () => {
  it('is no listener of the process, no timer and no warning, after 20 apps', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const counts = () => process.eventNames().map((name) => [name, process.listenerCount(name)]);
    const clock = new CountingClock();
    const before = counts();
    for (let round = 0; round < 20; round++) {
      const app = await apps.create({ imports: [lifecycle({ clock })], providers: [Feed, Job] });
      app.enableShutdownHooks();
      await app.listen(0, '127.0.0.1');
      await apps.close(app);
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(counts()).toEqual(before);
    expect(clock.pending).toBe(0);
    process.removeListener('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('is no warning while 20 apps boot at once', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const handler = () => undefined;
    process.on('SIGTERM', handler);
    const listeners = process.listenerCount('SIGTERM');
    const root = rootModule({ imports: [lifecycle()], providers: [Feed] });
    await Promise.all(Array.from({ length: 20 }, () => apps.listen(root)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(process.listenerCount('SIGTERM')).toBe(listeners);
    process.removeListener('SIGTERM', handler);
    process.removeListener('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['discovery refuses a component', { providers: [{ provide: 'A', useFactory: () => new Feed() }, Feed] }],
    [
      'a component fails its start',
      {
        providers: [
          class {
            start = () => Promise.reject(new Error('no'));
          },
        ].map((it) => (LifecycleComponent()(it), it)),
      },
    ],
  ])('is no listener of the process when %s', async (_, { providers }) => {
    const handler = () => undefined;
    process.on('SIGTERM', handler);
    const before = process.listenerCount('SIGTERM');
    const app = await apps.create({ imports: [lifecycle()], providers });
    await expect(app.init()).rejects.toThrow();
    expect(process.listenerCount('SIGTERM')).toBe(before);
    process.removeListener('SIGTERM', handler);
  });
});

describe('where Nest makes an app otherwise', () => {
  it('a testing module that is compiled and never initialised starts nothing, and closes', async () => {
    const module = await Test.createTestingModule({ imports: [lifecycle()], providers: [Feed] }).compile();
    expect(module.get(Registry).count()).toBe(0);
    await module.close();
    expect(journal).toEqual([]);
  });

  it('preview mode makes no instance, and does not break', async () => {
    const root = rootModule({ imports: [lifecycle()], providers: [Feed] });
    const context = await NestFactory.createApplicationContext(root, {
      preview: true,
      logger: false,
      abortOnError: false,
    });
    await context.close();
    const app = await NestFactory.create(root, { preview: true, logger: false, abortOnError: false });
    await app.init();
    await app.close();
    expect(journal).toEqual([]);
  });

  it('snapshot mode runs as any other', async () => {
    const root = rootModule({ imports: [lifecycle()], providers: [Feed] });
    const app = await NestFactory.create(root, { snapshot: true, logger: false, abortOnError: false });
    await app.listen(0, '127.0.0.1');
    await expect(statusOf(app, '/health')).resolves.toBe(200);
    await app.close();
    expect(journal).toEqual(['feed starts', 'feed stopped']);
  });

  it('the position of the module is set in no other module', async () => {
    const app = await apps.listen({ imports: [lifecycle()], providers: [Feed] });
    const nearest = [...app.get(ModulesContainer).values()].filter((it) => it.distance < 0);
    expect(nearest.map((it) => it.metatype)).toEqual([LifecycleModule]);
  });
});
