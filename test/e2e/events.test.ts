import { Injectable, type INestApplication } from '@nestjs/common';
import { EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import {
  EventBus,
  Leadership,
  LifecycleComponent,
  LifecycleEvent,
  LifecycleModule,
  Registry,
  type ComponentStatusEvent,
  type LeadershipAcquiredEvent,
  type LeadershipLostEvent,
  type LifecycleRootOptions,
  type StartContext,
} from 'nestjs-lifecycle';
import { MemoryElectionHub, MemoryElector } from 'nestjs-lifecycle/electors/memory';
import { Apps, RecordingLogger, statusOf, type AppModule } from '../fixtures/apps.js';
import { aborted, until } from '../fixtures/until.js';

const apps = new Apps();
let logger: RecordingLogger;
let heard: string[];

beforeEach(() => {
  logger = new RecordingLogger();
  heard = [];
});

const lifecycle = (options: LifecycleRootOptions = {}) => LifecycleModule.forRoot({ logger, ...options });

@LifecycleComponent()
class Feed {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }
}

@LifecycleComponent(true)
class Job {
  start(): void {
    // Up at once.
  }

  stop(): void {
    // Down at once.
  }
}

/** A listener such as apps have. */
@Injectable()
class Audit {
  @OnEvent(LifecycleEvent.ComponentStatus)
  onStatus({ name, from, to }: ComponentStatusEvent): void {
    heard.push(`${name} ${from} -> ${to}`);
  }

  @OnEvent(LifecycleEvent.LeadershipAcquired)
  onAcquired({ election }: LeadershipAcquiredEvent): void {
    heard.push(`acquired ${election}`);
  }

  @OnEvent(LifecycleEvent.LeadershipLost)
  onLost({ election, voluntary }: LeadershipLostEvent): void {
    heard.push(`lost ${election} ${voluntary ? 'by itself' : 'by force'}`);
  }
}

const settled = (app: INestApplication) => until(() => app.get(Registry).status()['Job']?.status === 'running');

describe.each([false, true])('handlers of the app (wildcard emitter: %s)', (wildcard) => {
  const emitter = () => EventEmitterModule.forRoot({ wildcard });

  it.each(['before', 'after'])(
    'see every event from the first start to the last stop, with the emitter imported %s',
    async (place) => {
      const imports = place === 'before' ? [emitter(), lifecycle()] : [lifecycle(), emitter()];
      const app = await apps.listen({ imports, providers: [Audit, Feed, Job] });
      await settled(app);
      await apps.close(app);
      expect(heard.slice(0, 9)).toEqual([
        'Job pending -> standby',
        'Feed pending -> starting',
        'Feed starting -> running',
        'acquired default',
        'Job standby -> starting',
        'Job starting -> running',
        'lost default by itself',
        'Job running -> stopping',
        'Job stopping -> standby',
      ]);
      expect(heard.slice(9).toSorted()).toEqual([
        'Feed running -> stopping',
        'Feed stopping -> stopped',
        'Job standby -> stopped',
      ]);
    },
  );

  it.each<[string, () => unknown]>([
    [
      'throw',
      () => {
        throw new Error('listener threw');
      },
    ],
    ['reject', () => Promise.reject(new Error('listener rejected'))],
    [
      'throw null',
      () => {
        throw null;
      },
    ],
    ['hang', () => new Promise(() => undefined)],
  ])('that %s change nothing in start, leadership, health and stop', async (_, react) => {
    @Injectable()
    class Broken {
      @OnEvent(LifecycleEvent.ComponentStatus, { suppressErrors: false })
      onStatus(): unknown {
        return react();
      }

      @OnEvent(LifecycleEvent.ComponentStatus)
      onStatusToo(): unknown {
        return react();
      }

      @OnEvent(LifecycleEvent.LeadershipAcquired, { suppressErrors: false })
      onAcquired(): unknown {
        return react();
      }

      @OnEvent(LifecycleEvent.LeadershipLost, { suppressErrors: false })
      onLost(): unknown {
        return react();
      }
    }
    const app = await apps.listen({ imports: [emitter(), lifecycle()], providers: [Broken, Audit, Feed, Job] });
    await settled(app);
    await expect(statusOf(app, '/health')).resolves.toBe(200);
    await apps.close(app);
    expect(heard).toHaveLength(12);
    expect(Object.values(app.get(Registry).status()).map((it) => it.status)).toEqual(['stopped', 'stopped']);
  });
});

it('a handler that throws is logged, with what it threw', async () => {
  @Injectable()
  class Broken {
    @OnEvent(LifecycleEvent.LeadershipAcquired, { suppressErrors: false })
    onAcquired(): void {
      throw new Error('listener threw');
    }
  }
  const app = await apps.listen({ imports: [EventEmitterModule.forRoot(), lifecycle()], providers: [Broken, Job] });
  await settled(app);
  expect(logger.errors).toEqual([expect.stringContaining('listener threw')]);
});

it('a handler may ask registry and leadership, which know already what the event says', async () => {
  const seen: unknown[] = [];
  @Injectable()
  class Asking {
    constructor(
      private readonly registry: Registry,
      private readonly leadership: Leadership,
    ) {}

    @OnEvent(LifecycleEvent.ComponentStatus)
    onStatus({ name, to }: ComponentStatusEvent): void {
      seen.push(this.registry.status()[name]?.status === to);
    }

    @OnEvent(LifecycleEvent.LeadershipAcquired)
    onAcquired(): void {
      seen.push(this.leadership.isLeader());
    }

    @OnEvent(LifecycleEvent.LeadershipLost)
    onLost(): void {
      seen.push(!this.leadership.isLeader());
    }
  }
  const app = await apps.listen({ imports: [EventEmitterModule.forRoot(), lifecycle()], providers: [Asking, Feed] });
  await until(() => app.get(Leadership).isLeader());
  await apps.close(app);
  expect(seen).toHaveLength(6);
  expect(new Set(seen)).toEqual(new Set([true]));
});

it('a leader-only component that subscribes in its own start hears of the leadership it runs under', async () => {
  const acquired: LeadershipAcquiredEvent[] = [];
  @LifecycleComponent(true)
  class Subscriber {
    constructor(private readonly bus: EventBus) {}

    async start({ signal }: StartContext): Promise<void> {
      for await (const event of this.bus.subscribe(LifecycleEvent.LeadershipAcquired, 8, { signal }))
        acquired.push(event);
    }
  }
  const app = await apps.listen({ imports: [lifecycle()], providers: [Subscriber] });
  await until(() => acquired.length === 1);
  expect(acquired[0]).toMatchObject({ election: 'default', fencingToken: app.get(Leadership).term()?.fencingToken });
});

it('subscriptions end when the app is closed, after the last event', async () => {
  const app = await apps.listen({ imports: [lifecycle()], providers: [Feed] });
  const subscription = app.get(EventBus).subscribe(LifecycleEvent.ComponentStatus);
  await apps.close(app);
  for await (const { name, to } of subscription) heard.push(`${name} is ${to}`);
  expect(heard).toEqual(['Feed is stopping', 'Feed is stopped']);
});

describe('without EventEmitterModule', () => {
  it('everything works, and the bus has an emitter of its own', async () => {
    const app = await apps.listen({ imports: [lifecycle()], providers: [Feed, Job] });
    await settled(app);
    app
      .get(EventBus)
      .emitter.on('lifecycle.**', (event: object) =>
        heard.push(Object.keys(event).includes('to') ? 'status' : 'leadership'),
      );
    await apps.close(app);
    expect(heard).toContain('status');
    expect(heard).toContain('leadership');
  });
});

describe('a reader that comes late', () => {
  it('can get the leadership as it is', async () => {
    const hub = new MemoryElectionHub();
    const boot = (identity: string): Promise<INestApplication> => {
      const root: AppModule = { imports: [lifecycle({ identity, elector: new MemoryElector(hub) })], providers: [Job] };
      return apps.listen(root);
    };
    const leader = await boot('one');
    await settled(leader);
    const follower = await boot('two');
    await until(() => follower.get(Leadership).leader()?.identity === 'one');
    const first = async (
      app: INestApplication,
      name: 'lifecycle.leadership.acquired' | 'lifecycle.leadership.observed',
    ) => {
      for await (const event of app.get(EventBus).subscribe(name, 8, { current: true })) return event;
      return undefined;
    };
    await expect(first(leader, LifecycleEvent.LeadershipAcquired)).resolves.toMatchObject({ identity: 'one' });
    await expect(first(follower, LifecycleEvent.LeadershipObserved)).resolves.toMatchObject({
      leader: { identity: 'one' },
    });
    expect(follower.get(EventBus).current(LifecycleEvent.LeadershipAcquired)).toEqual([]);
  });
});
