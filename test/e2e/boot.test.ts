import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { Inject, Injectable, Module, type INestApplication, type OnApplicationBootstrap } from '@nestjs/common';
import {
  ComponentFailedError,
  LifecycleComponent,
  LifecycleModule,
  Registry,
  type Elector,
  type LifecycleRootOptions,
  type StartContext,
} from 'nestjs-lifecycle';
import { ADAPTERS, Apps, get, RecordingLogger, statusOf } from '../fixtures/apps.js';
import { CountingClock } from '../fixtures/counting-clock.js';
import { RecordingElector } from '../fixtures/recording-elector.js';
import { aborted, gate, until } from '../fixtures/until.js';

const apps = new Apps();
let journal: string[];
const record = (entry: string) => void journal.push(entry);

beforeEach(() => {
  journal = [];
});

const lifecycle = (options: LifecycleRootOptions = {}) => LifecycleModule.forRoot(options);
const isListening = (app: INestApplication) => app.getHttpServer().listening as boolean;

/** Begins to open an app; tells how that ended once it has. */
function open(app: INestApplication) {
  const opening = { outcome: undefined as unknown, done: undefined as unknown as Promise<void> };
  opening.done = app.listen(0, '127.0.0.1').then(
    () => void (opening.outcome = 'open'),
    (error: unknown) => void (opening.outcome = error),
  );
  return opening;
}

describe.each(ADAPTERS)('on %s, listen()', (_, createAdapter) => {
  it('resolves while a run-style start is pending', async () => {
    @LifecycleComponent()
    class Feed {
      async start({ signal }: StartContext): Promise<void> {
        await aborted(signal);
      }
    }
    const app = await apps.listen({ imports: [lifecycle()], providers: [Feed] }, createAdapter);
    expect(app.get(Registry).status()['Feed']).toMatchObject({ status: 'running' });
    await expect(statusOf(app, '/health/ready')).resolves.toBe(200);
    await expect(statusOf(app, '/health/startup')).resolves.toBe(200);
  });

  it('waits for the start of a service, and for subscriptionReady()', async () => {
    const [up, subscribed] = [gate(), gate()];
    @LifecycleComponent()
    class Api {
      start = () => up.promise;
      stop(): void {
        // Down at once.
      }
    }
    @LifecycleComponent()
    class Feed {
      async start({ signal }: StartContext): Promise<void> {
        await aborted(signal);
      }
      subscriptionReady = () => subscribed.promise;
    }
    const app = await apps.create({ imports: [lifecycle()], providers: [Api, Feed] }, createAdapter);
    const opening = open(app);
    const status = () => app.get(Registry).status();
    await until(() => status()['Api']?.status === 'starting' && status()['Feed']?.status === 'starting');
    up.open();
    await until(() => status()['Api']?.status === 'running');
    expect(status()['Feed']?.status).toBe('starting');
    expect(isListening(app)).toBe(false);
    subscribed.open();
    await opening.done;
    expect(opening.outcome).toBe('open');
  });

  it('waits for no longer than the startTimeoutMs of each component', async () => {
    @LifecycleComponent({ startTimeoutMs: 20, criticality: 'degradable' })
    class Api {
      start = ({ signal }: StartContext) => aborted(signal);
      stop(): void {
        // Down at once.
      }
    }
    const app = await apps.listen({ imports: [lifecycle()], providers: [Api] }, createAdapter);
    expect(app.get(Registry).status()['Api']).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('not ready after 20 ms'),
    });
  });

  it('never waits for leadership, nor for leader-only components', async () => {
    const campaigning = gate();
    const elector: Elector = {
      async campaign(_election, _candidate, signal) {
        campaigning.open();
        await aborted(signal);
      },
    };
    @LifecycleComponent(true)
    class Job {
      start(): void {
        record('started');
      }
    }
    const app = await apps.listen({ imports: [lifecycle({ elector })], providers: [Job] }, createAdapter);
    await campaigning.promise;
    expect(app.get(Registry).status()['Job']).toMatchObject({ status: 'standby' });
    await expect(statusOf(app, '/health/ready')).resolves.toBe(200);
    expect(journal).toEqual([]);
  });

  it('waits for no leader-only component of a leader that hangs in its start', async () => {
    @LifecycleComponent(true)
    class Job {
      start = ({ signal }: StartContext) => aborted(signal);
      stop(): void {
        // Down at once.
      }
    }
    const app = await apps.listen({ imports: [lifecycle()], providers: [Job] }, createAdapter);
    await until(() => app.get(Registry).status()['Job']?.status === 'starting');
    await expect(statusOf(app, '/health/ready')).resolves.toBe(200);
  });

  it.each<[string, (context: StartContext) => Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('no broker');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no broker'))],
  ])(
    'rejects when a critical component %s, after what had started is stopped, and opens no port',
    async (_how, fail) => {
      @LifecycleComponent()
      class Database {
        start(): void {
          record('database starts');
        }

        async stop(): Promise<void> {
          await new Promise((resolve) => setImmediate(resolve));
          record('database has stopped');
        }
      }
      @LifecycleComponent({ dependsOn: [Database] })
      class Feed {
        start(context: StartContext): Promise<void> {
          record('feed starts');
          return fail(context);
        }
      }
      const root = { imports: [lifecycle({ elector: new RecordingElector(record) })], providers: [Feed, Database] };
      const app = await apps.create(root, createAdapter);
      const opening = open(app);
      await opening.done;
      expect(opening.outcome).toBeInstanceOf(ComponentFailedError);
      expect(opening.outcome).toMatchObject({ component: 'Feed', cause: new Error('no broker') });
      expect(isListening(app)).toBe(false);
      expect(journal).toEqual(['database starts', 'feed starts', 'database has stopped', 'elector closed']);
    },
  );

  it('resolves, and the app is not ready, with failFast: false', async () => {
    @LifecycleComponent()
    class Feed {
      start(): void {
        throw new Error('no broker');
      }
    }
    const app = await apps.listen({ imports: [lifecycle({ failFast: false })], providers: [Feed] }, createAdapter);
    await expect(get(app, '/health/ready')).resolves.toEqual({
      status: 503,
      body: { status: 'error', reasons: ['component "Feed" is failed: no broker'] },
    });
    await expect(statusOf(app, '/health/startup')).resolves.toBe(200);
    await expect(statusOf(app, '/health')).resolves.toBe(503);
  });

  it.each(['degradable', 'optional'] as const)('resolves when a component that fails is %s', async (criticality) => {
    @LifecycleComponent({ criticality })
    class Feed {
      start(): void {
        throw new Error('no broker');
      }
    }
    const app = await apps.listen({ imports: [lifecycle()], providers: [Feed] }, createAdapter);
    await expect(statusOf(app, '/health/ready')).resolves.toBe(200);
  });

  it('resolves, and the app is not ready, while a critical component waits for its restart', async () => {
    const restarted = gate();
    let starts = 0;
    @LifecycleComponent({ restart: { mode: 'on-failure', initialDelayMs: 0 } })
    class Feed {
      async start({ signal }: StartContext): Promise<void> {
        if (starts++ === 0) throw new Error('not yet');
        await restarted.promise;
        await aborted(signal);
      }
      subscriptionReady = () => restarted.promise;
    }
    const app = await apps.listen({ imports: [lifecycle()], providers: [Feed] }, createAdapter);
    await expect(statusOf(app, '/health/ready')).resolves.toBe(503);
    await expect(statusOf(app, '/health/live')).resolves.toBe(200);
    restarted.open();
    await until(async () => (await statusOf(app, '/health/ready')) === 200);
    expect(starts).toBe(2);
  });

  it('rejects for a component that depends on a broken one only through the broken one', async () => {
    @LifecycleComponent({ criticality: 'optional' })
    class Cache {
      start(): void {
        throw new Error('no cache');
      }
    }
    @LifecycleComponent({ dependsOn: [Cache] })
    class Feed {
      start(): void {
        record('feed starts');
      }
    }
    const app = await apps.listen({ imports: [lifecycle()], providers: [Feed, Cache] }, createAdapter);
    await expect(get(app, '/health/ready')).resolves.toMatchObject({
      status: 503,
      body: { reasons: ['component "Feed" is pending: waits for "Cache" (failed: no cache)'] },
    });
    expect(journal).toEqual([]);
  });

  it('does not wait with awaitStart: false; startup and readiness are 503 until the first start has finished', async () => {
    const up = gate();
    @LifecycleComponent()
    class Api {
      start = () => up.promise;
      stop(): void {
        // Down at once.
      }
    }
    const elector = new RecordingElector(record);
    const app = await apps.listen(
      { imports: [lifecycle({ awaitStart: false, elector })], providers: [Api] },
      createAdapter,
    );
    await expect(statusOf(app, '/health/startup')).resolves.toBe(503);
    await expect(statusOf(app, '/health/ready')).resolves.toBe(503);
    await expect(statusOf(app, '/health/live')).resolves.toBe(200);
    expect(journal).toEqual([]);
    up.open();
    await until(async () => (await statusOf(app, '/health/startup')) === 200);
    await expect(statusOf(app, '/health/ready')).resolves.toBe(200);
    await until(() => journal.includes('elected'));
  });

  it('that rejects because the port is taken leaves components running, which close() stops', async () => {
    const { port } = (await apps.listen({}, createAdapter)).getHttpServer().address() as AddressInfo;
    @LifecycleComponent()
    class Feed {
      async start({ signal }: StartContext): Promise<void> {
        await aborted(signal);
        record('feed stopped');
      }
    }
    const elector = new RecordingElector(record);
    const app = await apps.create({ imports: [lifecycle({ elector })], providers: [Feed] }, createAdapter);
    await expect(app.listen(port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await apps.close(app);
    expect(journal.slice(-3)).toEqual(['released', 'feed stopped', 'elector closed']);
  });

  it('does not reject with awaitStart: false when a critical component fails', async () => {
    @LifecycleComponent()
    class Feed {
      start(): void {
        throw new Error('no broker');
      }
    }
    const app = await apps.listen({ imports: [lifecycle({ awaitStart: false })], providers: [Feed] }, createAdapter);
    await until(async () => (await statusOf(app, '/health/startup')) === 200);
    await expect(statusOf(app, '/health/ready')).resolves.toBe(503);
    await expect(statusOf(app, '/health/live')).resolves.toBe(503);
  });
});

describe('what hangs or throws elsewhere in the boot', () => {
  it('starts nothing and stands for nothing while a hook of another module is pending', async () => {
    const other = gate();
    @Injectable()
    class Slow implements OnApplicationBootstrap {
      onApplicationBootstrap = () => other.promise;
    }
    @LifecycleComponent()
    class Feed {
      start(): void {
        record('feed starts');
      }
    }
    const app = await apps.create({
      imports: [lifecycle({ elector: new RecordingElector(record) })],
      providers: [Slow, Feed],
    });
    const opening = open(app);
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(journal).toEqual([]);
    other.open();
    await opening.done;
    await until(() => journal.includes('elected'));
    expect(journal[0]).toBe('feed starts');
  });

  it('starts nothing, stands for nothing and leaves no timer when a later module throws in its bootstrap hook', async () => {
    @Injectable()
    class Broken implements OnApplicationBootstrap {
      onApplicationBootstrap(): void {
        throw new Error('broken');
      }
    }
    @Module({ providers: [Broken] })
    class LaterModule {}
    @LifecycleComponent()
    class Feed {
      start(): void {
        record('feed starts');
      }
    }
    const clock = new CountingClock();
    const app = await apps.create({
      imports: [lifecycle({ clock, elector: new RecordingElector(record) }), LaterModule],
      providers: [Feed],
    });
    await expect(app.listen(0)).rejects.toThrow('broken');
    expect(journal).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

describe('a failure after the boot', () => {
  it('of a critical component leaves the process and its siblings alone unless exitOnFailure is on', async () => {
    let context: StartContext | undefined;
    @LifecycleComponent()
    class Feed {
      start(given: StartContext): void {
        context = given;
      }
      stop(): void {
        // Down at once.
      }
    }
    @LifecycleComponent()
    class Sibling {
      async start({ signal }: StartContext): Promise<void> {
        await aborted(signal);
        record('sibling ends');
      }
    }
    const logger = new RecordingLogger();
    const app = await apps.listen({ imports: [lifecycle({ logger })], providers: [Feed, Sibling] });
    context?.fail(new Error('broke'));
    await until(() => app.get(Registry).status()['Feed']?.status === 'failed');
    await expect(statusOf(app, '/health/ready')).resolves.toBe(503);
    expect(app.get(Registry).status()['Sibling']).toMatchObject({ status: 'running' });
    expect(journal).toEqual([]);
    expect(logger.errors).toEqual([expect.stringContaining('Feed failed, it stays down: broke')]);
  });
});

it('a failure in the boot is not one after it: exitOnFailure leaves an app alone that boots unready', async () => {
  const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
  @LifecycleComponent()
  class Feed {
    start(): void {
      throw new Error('no broker');
    }
  }
  const app = await apps.listen({ imports: [lifecycle({ exitOnFailure: true, failFast: false })], providers: [Feed] });
  await expect(statusOf(app, '/health/startup')).resolves.toBe(200);
  await apps.close(app);
  expect(exit).not.toHaveBeenCalled();
  exit.mockRestore();
});

describe('a registration after the boot', () => {
  it('starts an all-replica component, and a leader-only one where this replica leads', async () => {
    @Injectable()
    class Plugins {
      constructor(@Inject(Registry) readonly registry: Registry) {}
    }
    const app = await apps.listen({ imports: [lifecycle()], providers: [Plugins] });
    const { registry } = app.get(Plugins);
    const component = { start: () => undefined, stop: () => undefined };
    registry.register(component, { name: 'late' });
    registry.register({ ...component }, { name: 'late leader', leaderOnly: true });
    await until(() => Object.values(registry.status()).every((it) => it.status === 'running'));
    await apps.close(app);
    expect(Object.values(registry.status()).map((it) => it.status)).toEqual(['stopped', 'stopped']);
  });
});
