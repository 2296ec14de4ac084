import { Injectable, type INestApplication, type OnModuleDestroy } from '@nestjs/common';
import {
  LifecycleComponent,
  LifecycleModule,
  Leadership,
  Registry,
  type Elector,
  type LifecycleRootOptions,
  type StartContext,
} from 'nestjs-lifecycle';
import { MemoryElectionHub } from 'nestjs-lifecycle/electors/memory';
import { ManualClock } from 'nestjs-lifecycle/testing';
import { ADAPTERS, Apps, get, RecordingLogger, statusOf } from '../fixtures/apps.js';
import { RecordingElector } from '../fixtures/recording-elector.js';
import { aborted, gate, until } from '../fixtures/until.js';

const apps = new Apps();
let journal: string[];
let logger: RecordingLogger;
const record = (entry: string) => void journal.push(entry);

beforeEach(() => {
  journal = [];
  logger = new RecordingLogger();
});

const never = new Promise<never>(() => undefined);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const lifecycle = (options: LifecycleRootOptions = {}) => LifecycleModule.forRoot({ logger, ...options });

/** Something that another module destroys, as a connection pool is. */
@Injectable()
class Pool implements OnModuleDestroy {
  onModuleDestroy(): void {
    record('pool destroyed');
  }
}

@LifecycleComponent()
class Feed {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
    record('feed stopped');
  }
}

@LifecycleComponent(true)
class Job {
  start(): void {
    record('job starts');
  }

  async stop(): Promise<void> {
    await turn();
    record('job stopped');
  }
}

describe.each(ADAPTERS)('on %s, from the first moment of close()', (_, createAdapter) => {
  it('readiness is 503 while everything still runs, and liveness 200 as long as anything does', async () => {
    const clock = new ManualClock();
    const stopping = gate();
    @LifecycleComponent()
    class Slow {
      async start({ signal }: StartContext): Promise<void> {
        await aborted(signal);
        record('slow told to stop');
        await stopping.promise;
      }
    }
    const imports = [lifecycle({ drainDelayMs: 5000, clock })];
    const app = await apps.listen({ imports, providers: [Slow, Feed, Pool] }, createAdapter);
    await expect(statusOf(app, '/health/ready')).resolves.toBe(200);

    const closing = apps.close(app);
    await until(async () => (await statusOf(app, '/health/ready')) === 503);
    await expect(get(app, '/health/ready')).resolves.toEqual({
      status: 503,
      body: { status: 'error', reasons: ['the app is shutting down'] },
    });
    await clock.advance(4999);
    expect(journal).toEqual([]);
    expect(app.get(Registry).status()).toMatchObject({ Slow: { status: 'running' }, Feed: { status: 'running' } });
    for (const probe of ['live', 'startup']) await expect(statusOf(app, `/health/${probe}`)).resolves.toBe(200);

    await clock.advance(1);
    expect(journal).toEqual(expect.arrayContaining(['slow told to stop', 'feed stopped']));
    await expect(statusOf(app, '/health/live')).resolves.toBe(200);
    await expect(statusOf(app, '/health/ready')).resolves.toBe(503);
    expect(journal).not.toContain('pool destroyed');
    stopping.open();
    await closing;
    expect(journal.at(-1)).toBe('pool destroyed');
  });

  it('readiness is 503 before the first component is told to stop, also without a drain', async () => {
    let seen: Promise<number> | undefined;
    @LifecycleComponent()
    class Watching {
      async start({ signal }: StartContext): Promise<void> {
        await aborted(signal);
        seen = statusOf(app, '/health/ready');
        await seen;
      }
    }
    const app: INestApplication = await apps.listen({ imports: [lifecycle()], providers: [Watching] }, createAdapter);
    await apps.close(app);
    await expect(seen).resolves.toBe(503);
  });
});

describe('the hand-over', () => {
  it('is at once while the app drains: another app leads before anything else is stopped', async () => {
    const hub = new MemoryElectionHub();
    const clock = new ManualClock();
    const boot = (name: string, options: LifecycleRootOptions) => {
      const elector = new RecordingElector((it) => record(`${name} ${it}`), hub);
      return apps.listen({ imports: [lifecycle({ identity: name, elector, ...options })], providers: [Job, Feed] });
    };
    const first = await boot('first', { drainDelayMs: 60_000, clock });
    await until(() => first.get(Registry).status()['Job']?.status === 'running');
    const second = await boot('second', {});
    await until(() => journal.includes('second campaigning'));
    expect(second.get(Registry).status()['Job']).toMatchObject({ status: 'standby' });
    journal = [];

    const closing = apps.close(first);
    await until(() => second.get(Registry).status()['Job']?.status === 'running');
    expect(journal.slice(0, 2)).toEqual(['job stopped', 'first term settled']);
    expect(journal.slice(2).toSorted()).toEqual(['first released', 'job starts', 'second elected']);
    expect(first.get(Registry).status()).toMatchObject({ Job: { status: 'standby' }, Feed: { status: 'running' } });
    await expect(statusOf(first, '/health/live')).resolves.toBe(200);
    expect(first.get(Leadership).isLeader()).toBe(false);

    await clock.advance(60_000);
    await closing;
    expect(first.get(Registry).status()).toMatchObject({ Job: { status: 'stopped' }, Feed: { status: 'stopped' } });
    expect(second.get(Leadership).isLeader()).toBe(true);
  });

  it('is over before what leader-only components may use is stopped', async () => {
    const app = await apps.listen({
      imports: [lifecycle({ elector: new RecordingElector(record) })],
      providers: [Feed, Job, Pool],
    });
    await until(() => app.get(Registry).status()['Job']?.status === 'running');
    await apps.close(app);
    expect(journal.slice(-6)).toEqual([
      'job stopped',
      'term settled',
      'released',
      'feed stopped',
      'elector closed',
      'pool destroyed',
    ]);
  });
});

describe('a component that does not stop as it should', () => {
  const hangs = () => never;
  const throws = () => {
    throw new Error('stop failed');
  };
  const rejects = () => Promise.reject(new Error('stop failed'));
  const rejectsOddly = () => Promise.reject(null);

  it.each([
    ['hangs', hangs, 'has not stopped after 30 ms'],
    ['throws', throws, 'stop failed'],
    ['rejects', rejects, 'stop failed'],
    ['rejects with null', rejectsOddly, 'null thrown'],
  ])('and %s keeps no other hook from running, and is named', async (_, stop, text) => {
    @LifecycleComponent({ stopTimeoutMs: 30 })
    class Broken {
      start(): void {
        record('broken starts');
      }
      stop = stop as () => Promise<void>;
    }
    const app = await apps.listen({ imports: [lifecycle()], providers: [Broken, Feed, Pool] });
    await apps.close(app);
    expect(journal).toEqual(['broken starts', 'feed stopped', 'pool destroyed']);
    expect(logger.errors.join()).toContain('Broken');
    expect(logger.errors.join()).toContain(text);
  });

  it('is told to stop within the budget of all, and named when it overruns', async () => {
    @LifecycleComponent()
    class Stuck {
      start = () => never;
    }
    const app = await apps.listen({ imports: [lifecycle({ shutdownTimeoutMs: 60 })], providers: [Stuck, Feed, Pool] });
    const begun = performance.now();
    await apps.close(app);
    expect(performance.now() - begun).toBeLessThan(5000);
    expect(journal).toEqual(['feed stopped', 'pool destroyed']);
    expect(logger.errors.join()).toContain('"Stuck" has not stopped');
  });

  it('takes half of the time of the others, and no more, when it is leader-only and hangs', async () => {
    const clock = new ManualClock();
    @LifecycleComponent({ leaderOnly: true, stopTimeoutMs: 1000 })
    class StuckJob {
      start(): void {
        record('stuck job starts');
      }
      stop = () => never;
    }
    @LifecycleComponent({ stopTimeoutMs: 9000 })
    class Thorough {
      async start({ signal }: StartContext): Promise<void> {
        await aborted(signal);
        record('thorough told to stop');
        await new Promise<void>((resolve) => void clock.setTimer(resolve, 8000));
        record('thorough stopped');
      }
    }
    const app = await apps.listen({
      imports: [lifecycle({ clock, elector: new RecordingElector(record), shutdownTimeoutMs: 20_000 })],
      providers: [StuckJob, Thorough, Pool],
    });
    await until(() => journal.includes('stuck job starts'));
    const closing = apps.close(app);
    await clock.advance(9999);
    expect(journal).not.toContain('thorough told to stop');
    await clock.advance(1);
    expect(journal).toContain('thorough told to stop');
    await clock.advance(8000);
    expect(journal).toContain('thorough stopped');
    await clock.advance(2000);
    await closing;
    // Work of the term goes on as far as anybody knows, so nobody may take over: neither by a release nor by a close.
    expect(journal.slice(2)).toEqual([
      'stuck job starts',
      'thorough told to stop',
      'thorough stopped',
      'pool destroyed',
    ]);
    expect(logger.errors.join()).toContain('"StuckJob" has not stopped after 1000 ms');
    expect(logger.errors.join()).toContain('Leadership is not handed over in order');
  });
});

describe('an elector that does not end as it should', () => {
  const campaigning = async (_: string, __: unknown, signal: AbortSignal) => aborted(signal);

  it.each<[string, Partial<Elector>, string]>([
    ['ignores its signal', { campaign: () => never }, 'Leadership is not handed over in order'],
    ['hangs in close()', { close: () => never }, 'does not end or close in time'],
    [
      'throws in close()',
      {
        close: () => {
          throw new Error('no close');
        },
      },
      'Closing the elector: no close',
    ],
    ['rejects in close()', { close: () => Promise.reject(new Error('no close')) }, 'Closing the elector: no close'],
    ['has no close()', {}, ''],
  ])('because it %s keeps nothing else from being stopped and destroyed', async (_, parts, text) => {
    const elector: Elector = { campaign: campaigning, ...parts };
    const app = await apps.listen({
      imports: [lifecycle({ elector, shutdownTimeoutMs: 50 })],
      providers: [Feed, Job, Pool],
    });
    await apps.close(app);
    expect(journal).toEqual(['feed stopped', 'pool destroyed']);
    expect(logger.errors.join()).toContain(text);
  });

  it('is closed late when its campaign ends late', async () => {
    const ended = gate();
    const elector: Elector = {
      campaign: () => ended.promise,
      async close() {
        await turn();
        record('elector closed');
      },
    };
    const app = await apps.listen({ imports: [lifecycle({ elector, shutdownTimeoutMs: 20 })], providers: [Pool] });
    await apps.close(app);
    expect(journal).toEqual(['pool destroyed']);
    ended.open();
    await until(() => journal.includes('elector closed'));
  });
});

it.each([
  [
    'throws',
    () => {
      throw new Error('no disk');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no disk'))],
])('a logger that %s keeps nothing from starting, stopping and being destroyed', async (_, write) => {
  @LifecycleComponent({ criticality: 'optional' })
  class Broken {
    start(): void {
      throw new Error('no broker');
    }
  }
  @LifecycleComponent()
  class BadStop {
    start(): void {
      record('bad stop starts');
    }
    stop(): void {
      throw new Error('stop failed');
    }
  }
  const bad = { log: write, warn: write, error: write, debug: write } as unknown as RecordingLogger;
  const elector: Elector = {
    campaign: (_election, _candidate, signal) => aborted(signal),
    close: () => Promise.reject(new Error('no close')),
  };
  const app = await apps.create({
    imports: [lifecycle({ logger: bad, elector })],
    providers: [Broken, BadStop, Feed, Pool],
  });
  app.setGlobalPrefix('warns');
  await app.listen(0, '127.0.0.1');
  await apps.close(app);
  expect(journal).toEqual(['bad stop starts', 'feed stopped', 'pool destroyed']);
});

describe('close()', () => {
  it('twice at once, and again later, is one stop', async () => {
    const app = await apps.listen({
      imports: [lifecycle({ elector: new RecordingElector(record) })],
      providers: [Feed, Job],
    });
    await until(() => journal.includes('job starts'));
    await Promise.all([app.close(), app.close()]);
    await app.close();
    expect(journal.slice(-5)).toEqual(['job stopped', 'term settled', 'released', 'feed stopped', 'elector closed']);
    expect(new Set(journal).size).toBe(journal.length);
  });

  it('from a listener of the very events that it causes is the same stop', async () => {
    const app = await apps.listen({
      imports: [lifecycle({ elector: new RecordingElector(record) })],
      providers: [Feed, Job],
    });
    await until(() => journal.includes('job starts'));
    const { EventBus } = await import('nestjs-lifecycle');
    const again: Promise<void>[] = [];
    app.get(EventBus).emitter.on('lifecycle.**', () => again.push(app.close()));
    await app.close();
    await Promise.all(again);
    expect(again.length).toBeGreaterThan(0);
    expect(journal.filter((it) => it === 'elector closed')).toHaveLength(1);
  });
});

describe.each(ADAPTERS)('on %s, close() while the boot is under way', (_, createAdapter) => {
  const open = (app: INestApplication) =>
    app.listen(0, '127.0.0.1').then(
      () => 'open',
      (error: unknown) => error,
    );

  it('ends what starts, starts nothing more, and stands for nothing', async () => {
    @LifecycleComponent()
    class Slow {
      async start({ signal }: StartContext): Promise<void> {
        record('slow starts');
        await aborted(signal);
        record('slow told to stop');
      }
      stop(): void {
        record('slow stopped');
      }
    }
    @LifecycleComponent({ dependsOn: [Slow] })
    class Dependent {
      start(): void {
        record('dependent starts');
      }
    }
    const elector = new RecordingElector(record);
    const app = await apps.create(
      { imports: [lifecycle({ elector })], providers: [Slow, Dependent, Job] },
      createAdapter,
    );
    void open(app);
    await until(() => journal.includes('slow starts'));
    await apps.close(app);
    expect(journal).toEqual(['slow starts', 'slow told to stop', 'slow stopped', 'elector closed']);
    expect(Object.values(app.get(Registry).status()).map((it) => it.status)).toEqual(['stopped', 'stopped', 'stopped']);
  });

  it('waits no longer than the stop budget for a start that ignores its signal', async () => {
    const connected = gate();
    @LifecycleComponent({ stopTimeoutMs: 40 })
    class Stubborn {
      start = () => connected.promise;
      stop(): void {
        record('stubborn stopped');
      }
    }
    const app = await apps.create({ imports: [lifecycle()], providers: [Stubborn, Pool] }, createAdapter);
    const opening = open(app);
    await until(() => app.get(Registry).status()['Stubborn']?.status === 'starting');
    await apps.close(app);
    expect(journal).toEqual(['stubborn stopped', 'pool destroyed']);
    // Long after the server is closed. Were the boot still waiting for it, Nest would open the port now.
    connected.open();
    await until(() => app.get(Registry).status()['Stubborn']?.status === 'stopped');
    for (let turns = 0; turns < 20; turns++) await turn();
    expect(app.getHttpServer().listening).toBe(false);
    void opening;
  });

  it('rejects no boot that it ends, whatever has failed in it', async () => {
    @LifecycleComponent()
    class Abrupt {
      async start({ signal }: StartContext): Promise<void> {
        await aborted(signal);
        throw new Error('connection lost');
      }
      subscriptionReady = () => never;
    }
    @LifecycleComponent()
    class Broken {
      start(): void {
        throw new Error('no broker');
      }
    }
    const app = await apps.create({ imports: [lifecycle()], providers: [Abrupt, Broken] }, createAdapter);
    const initialising = app.init();
    await until(() => app.get(Registry).status()['Abrupt']?.status === 'starting');
    await apps.close(app);
    await expect(initialising).resolves.toBeDefined();
    expect(logger.errors.join()).toContain('connection lost');
  });

  it('lets the drain go by, since nobody has been sent here yet', async () => {
    @LifecycleComponent()
    class Slow {
      start = ({ signal }: StartContext) => aborted(signal);
      stop(): void {
        record('slow stopped');
      }
    }
    const clock = new ManualClock();
    const imports = [lifecycle({ drainDelayMs: 60_000, clock })];
    const app = await apps.create({ imports, providers: [Slow] }, createAdapter);
    void open(app);
    await until(() => app.get(Registry).status()['Slow']?.status === 'starting');
    await apps.close(app);
    expect(journal).toEqual(['slow stopped']);
  });

  it('and before any hook of ours has run starts nothing, whenever the boot goes on', async () => {
    const other = gate();
    @Injectable()
    class Hanging {
      onModuleInit = () => other.promise;
    }
    const elector = new RecordingElector(record);
    const handler = () => undefined;
    process.on('SIGTERM', handler);
    const listeners = process.listenerCount('SIGTERM');
    const app = await apps.create({ imports: [lifecycle({ elector })], providers: [Hanging, Feed] }, createAdapter);
    const opening = open(app);
    await turn();
    await apps.close(app);
    other.open();
    // On Fastify a closed server refuses to listen.
    await opening;
    for (let turns = 0; turns < 20; turns++) await turn();
    expect(journal).toEqual(['elector closed']);
    expect(app.get(Registry).status()).toEqual({});
    expect(process.listenerCount('SIGTERM')).toBe(listeners);
    process.removeListener('SIGTERM', handler);
    await app.close();
  });
});
