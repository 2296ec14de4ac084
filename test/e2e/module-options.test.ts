import { setImmediate as turn } from 'node:timers/promises';
import { Inject, Injectable, Module } from '@nestjs/common';
import {
  InvalidOptionError,
  Leadership,
  LifecycleComponent,
  LifecycleModule,
  Registry,
  EventBus,
  HealthMonitor,
  LifecycleHealthIndicator,
  type Candidate,
  type Elector,
  type LifecycleAsyncOptions,
  type LifecycleModuleOptions,
  type LifecycleOptionsFactory,
  type LifecycleRootOptions,
} from 'nestjs-lifecycle';
import { MemoryElectionHub, MemoryElector } from 'nestjs-lifecycle/electors/memory';
import { Apps, statusOf, type AppModule } from '../fixtures/apps.js';
import { until } from '../fixtures/until.js';

const apps = new Apps();
const refusal = (root: AppModule) =>
  apps.listen(root).then(
    () => 'booted',
    (error: unknown) => error,
  );

@LifecycleComponent({ leaderOnly: true })
class Job {
  start(): void {
    // Up at once.
  }

  stop(): void {
    // Down at once.
  }
}

const IDENTITY = 'IDENTITY';

@Module({ providers: [{ provide: IDENTITY, useValue: 'replica-7' }], exports: [IDENTITY] })
class ConfigModule {}

@Injectable()
class OptionsService implements LifecycleOptionsFactory {
  constructor(@Inject(IDENTITY) private readonly identity: string) {}

  async createLifecycleOptions(): Promise<LifecycleModuleOptions> {
    await turn();
    return { identity: this.identity };
  }
}

@Module({ imports: [ConfigModule], providers: [OptionsService], exports: [OptionsService] })
class OptionsModule {}

describe('forRootAsync()', () => {
  it.each<[string, LifecycleAsyncOptions]>([
    ['useFactory', { useFactory: () => ({ identity: 'replica-7' }) }],
    [
      'useFactory with imports and inject',
      {
        imports: [ConfigModule],
        inject: [IDENTITY],
        useFactory: async (identity: string) => {
          await turn();
          return { identity };
        },
      },
    ],
    ['useClass', { imports: [ConfigModule], useClass: OptionsService }],
    ['useExisting', { imports: [OptionsModule], useExisting: OptionsService }],
  ])('takes its options from %s', async (_, options) => {
    const app = await apps.listen({ imports: [LifecycleModule.forRootAsync(options)], providers: [Job] });
    expect(app.get(Leadership).identity).toBe('replica-7');
    await until(() => app.get(Registry).status()['Job']?.status === 'running');
  });

  it.each<[string, object]>([
    ['undefined', undefined as never],
    ['an option that is none', { drainDelay: 5 }],
    ['a bad value', { drainDelayMs: '5s' }],
  ])('refuses %s from the factory at boot', async (_, options) => {
    await expect(
      refusal({ imports: [LifecycleModule.forRootAsync({ useFactory: () => options })] }),
    ).resolves.toBeInstanceOf(InvalidOptionError);
  });

  it.each<[string, LifecycleAsyncOptions]>([
    ['useClass', { useClass: class {} as never }],
    ['useExisting', { imports: [ConfigModule], useExisting: IDENTITY }],
  ])('refuses a provider by %s that makes no options', async (_, options) => {
    await expect(refusal({ imports: [LifecycleModule.forRootAsync(options)] })).resolves.toMatchObject({
      name: 'InvalidOptionError',
      message: expect.stringContaining('Let it implement LifecycleOptionsFactory.'),
    });
  });

  it.each<[string, LifecycleModuleOptions, string]>([
    ['health.path', { health: { path: 'other' } }, 'Move it: forRootAsync({ health: ..., useFactory: ... }).'],
    ['health.endpoints', { health: { endpoints: false } }, 'Move it: forRootAsync({ health: ..., useFactory: ... }).'],
    ['health.decorators', { health: { decorators: [] } }, 'Move it: forRootAsync({ health: ..., useFactory: ... }).'],
  ])('refuses %s from the factory, since routes are fixed by then', async (option, options, remedy) => {
    const error = await refusal({ imports: [LifecycleModule.forRootAsync({ useFactory: () => options })] });
    expect(error).toMatchObject({ name: 'InvalidOptionError', option });
    expect((error as Error).message).toContain(remedy);
  });

  it('refuses an elector from the factory where one stands beside it', async () => {
    const elector = new MemoryElector(new MemoryElectionHub());
    const error = await refusal({
      imports: [
        LifecycleModule.forRootAsync({ elector: { useFactory: () => elector }, useFactory: () => ({ elector }) }),
      ],
    });
    expect(error).toMatchObject({ name: 'InvalidOptionError', option: 'elector', value: elector });
  });

  it('takes routes from beside the factory, and the rest of health from the factory', async () => {
    const app = await apps.listen({
      imports: [
        LifecycleModule.forRootAsync({
          health: { path: 'internal/health' },
          useFactory: () => ({ health: { intervalMs: 60_000 } }),
        }),
      ],
    });
    await expect(statusOf(app, '/internal/health/live')).resolves.toBe(200);
    await expect(statusOf(app, '/health/live')).resolves.toBe(404);
  });
});

class OwnElector implements Elector {
  static made = 0;

  constructor() {
    OwnElector.made++;
  }

  async campaign(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    await new MemoryElector(new MemoryElectionHub()).campaign(election, candidate, signal);
  }
}

@Injectable()
class InjectedElector extends OwnElector {
  constructor(@Inject(IDENTITY) readonly injected: string) {
    super();
  }
}

@Module({ imports: [ConfigModule], providers: [InjectedElector], exports: [InjectedElector] })
class ElectorModule {}

describe('the elector', () => {
  const forms: [string, NonNullable<LifecycleRootOptions['elector']>][] = [
    ['an instance', new OwnElector()],
    ['a class', OwnElector],
    ['a class with dependencies', InjectedElector],
    ['{ useFactory }', { useFactory: () => new OwnElector() }],
    [
      '{ useFactory, inject }, asynchronous',
      {
        inject: [IDENTITY],
        useFactory: async (identity: string) => {
          await turn();
          return new InjectedElector(identity);
        },
      },
    ],
    ['{ useClass }', { useClass: InjectedElector }],
    ['{ useExisting }', { useExisting: InjectedElector }],
  ];

  it.each(forms)('of forRoot() may be %s', async (_, elector) => {
    const app = await apps.listen({
      imports: [LifecycleModule.forRoot({ elector, imports: [ElectorModule, ConfigModule] })],
      providers: [Job],
    });
    await until(() => app.get(Leadership).isLeader());
    await until(() => app.get(Registry).status()['Job']?.status === 'running');
  });

  it.each(forms.slice(3))('beside forRootAsync() may be %s', async (_, elector) => {
    const app = await apps.listen({
      imports: [
        LifecycleModule.forRootAsync({
          elector: elector as NonNullable<LifecycleAsyncOptions['elector']>,
          imports: [ElectorModule, ConfigModule],
          useFactory: () => ({}),
        }),
      ],
      providers: [Job],
    });
    await until(() => app.get(Leadership).isLeader());
  });

  it.each(forms.slice(0, 3))('in what the factory of forRootAsync() returns may be %s', async (_, elector) => {
    const app = await apps.listen({
      imports: [
        LifecycleModule.forRootAsync({
          imports: [ConfigModule],
          useFactory: () => ({ elector: elector as NonNullable<LifecycleModuleOptions['elector']> }),
        }),
      ],
      providers: [Job],
    });
    await until(() => app.get(Leadership).isLeader());
  });

  it.each([undefined, null, {}, 'elector', () => undefined])(
    'that a factory gives is refused at boot when it is %p',
    async (made) => {
      const error = await refusal({
        imports: [LifecycleModule.forRoot({ elector: { useFactory: () => made as never } })],
      });
      expect(error).toMatchObject({ name: 'InvalidOptionError', option: 'elector', value: made });
    },
  );

  it('is one for an app', async () => {
    OwnElector.made = 0;
    await apps.listen({ imports: [LifecycleModule.forRoot({ elector: OwnElector })], providers: [Job] });
    expect(OwnElector.made).toBe(1);
  });

  it('without any is standalone: leader at once, also without a leader-only component', async () => {
    const app = await apps.listen({ imports: [LifecycleModule.forRoot()] });
    await until(() => app.get(Leadership).isLeader());
  });

  it('stands for the elections that components and the module name', async () => {
    @LifecycleComponent({ leaderOnly: true, election: 'orders' })
    class OrdersJob extends Job {}
    const app = await apps.listen({
      imports: [LifecycleModule.forRoot({ elections: ['billing'] })],
      providers: [OrdersJob],
    });
    const leadership = app.get(Leadership);
    await until(() => leadership.isLeader('orders') && leadership.isLeader('billing'));
    expect(leadership.elections().map((it) => it.election)).toEqual(['orders', 'billing']);
  });
});

describe('what the module exports', () => {
  const EXPORTED = [Registry, Leadership, EventBus, HealthMonitor, LifecycleHealthIndicator];

  @Injectable()
  class Consumer {
    constructor(
      @Inject(Registry) readonly registry: Registry,
      @Inject(Leadership) readonly leadership: Leadership,
      @Inject(EventBus) readonly bus: EventBus,
      @Inject(HealthMonitor) readonly monitor: HealthMonitor,
      @Inject(LifecycleHealthIndicator) readonly indicator: LifecycleHealthIndicator,
    ) {}
  }

  @Module({ providers: [Consumer] })
  class ConsumerModule {}

  @Module({ imports: [LifecycleModule], providers: [Consumer] })
  class PlainImportModule {}

  it.each([
    ['a module that does not import it', ConsumerModule],
    ['a module that imports the bare class', PlainImportModule],
  ])('is injectable in %s', async (_, module) => {
    const app = await apps.listen({ imports: [module, LifecycleModule.forRoot()] });
    const consumer = app.get(Consumer, { strict: false });
    for (const part of Object.values(consumer)) expect(EXPORTED).toContain((part as object).constructor);
    expect(consumer.registry).toBe(app.get(Registry));
  });

  it('is injectable only where it is imported when isGlobal is false', async () => {
    const lifecycle = LifecycleModule.forRoot({ isGlobal: false });
    @Module({ imports: [lifecycle], providers: [Consumer] })
    class ImportingModule {}
    await expect(refusal({ imports: [lifecycle, ImportingModule] })).resolves.toBe('booted');
    await expect(refusal({ imports: [lifecycle, ConsumerModule] })).resolves.toMatchObject({
      message: expect.stringContaining('Registry'),
    });
  });
});

describe('without an HTTP server', () => {
  it('an application context has components, leadership and health all the same', async () => {
    const context = await apps.context({ imports: [LifecycleModule.forRoot()], providers: [Job] });
    await until(() => context.get(Registry).status()['Job']?.status === 'running');
    expect(context.get(HealthMonitor).ready()).toEqual({ ok: true, reasons: [] });
    expect(context.get(LifecycleHealthIndicator).isHealthy()).toMatchObject({ 'component:Job': { status: 'up' } });
  });
});
