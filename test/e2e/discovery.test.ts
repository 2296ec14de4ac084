import { setImmediate as turn } from 'node:timers/promises';
import { Controller, Get, Inject, Injectable, Module, Scope, type Provider, type Type } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import {
  ComponentScopeError,
  DuplicateComponentError,
  InvalidComponentError,
  LifecycleComponent,
  LifecycleModule,
  Registry,
  UnknownDependencyError,
  type LifecycleModuleOptions,
} from 'nestjs-lifecycle';
import { Apps, get, RecordingLogger, type AppModule } from '../fixtures/apps.js';
import { until } from '../fixtures/until.js';

const apps = new Apps();

class Service {
  start(): void {
    // Up at once.
  }

  stop(): void {
    // Down at once.
  }
}

/** A marked class of that name. */
function component(name: string, options: Parameters<typeof LifecycleComponent>[0] = {}): Type<Service> {
  const { [name]: named } = { [name]: class extends Service {} };
  if (named === undefined) throw new Error('unreachable');
  LifecycleComponent(options)(named);
  Injectable()(named);
  return named;
}

async function boot(root: AppModule): Promise<Registry> {
  return (await apps.listen(root)).get(Registry);
}

async function namesIn(providers: Provider[], options: LifecycleModuleOptions = {}): Promise<string[]> {
  return Object.keys((await boot({ imports: [LifecycleModule.forRoot(options)], providers })).status());
}

describe('discovery finds', () => {
  it('classes, with and without a token of their own', async () => {
    const [One, Two] = [component('One'), component('Two')];
    await expect(namesIn([One, { provide: 'TWO', useClass: Two }])).resolves.toEqual(['One', 'Two']);
  });

  it('what factories returned, at once, later, and under any kind of token', async () => {
    const [One, Two, Three] = [component('One'), component('Two'), component('Three')];
    const names = await namesIn([
      { provide: 'ONE', useFactory: () => new One() },
      {
        provide: Symbol('two'),
        useFactory: async () => {
          await turn();
          return new Two();
        },
      },
      { provide: Three, useFactory: () => new Three() },
    ]);
    expect(names).toEqual(['One', 'Two', 'Three']);
  });

  it('values, also a promised one that somebody injects', async () => {
    const [One, Two] = [component('One'), component('Two')];
    const names = await namesIn([
      { provide: 'ONE', useValue: new One() },
      { provide: 'TWO', useValue: Promise.resolve(new Two()) },
      { provide: 'INJECTS', inject: ['TWO'], useFactory: () => null },
    ]);
    expect(names).toEqual(['One', 'Two']);
  });

  it('an alias once, wherever it stands', async () => {
    const Feed = component('Feed');
    await expect(
      namesIn([{ provide: 'ALIAS', useExisting: Feed }, Feed, { provide: 'B', useExisting: 'ALIAS' }]),
    ).resolves.toEqual(['Feed']);
  });

  it('one instance once, under however many tokens and in however many modules', async () => {
    const Feed = component('Feed');
    const feed = new Feed();
    @Module({ providers: [{ provide: 'AGAIN', useValue: feed }] })
    class OtherModule {}
    const registry = await boot({
      imports: [OtherModule, LifecycleModule.forRoot()],
      providers: [
        { provide: Feed, useValue: feed },
        { provide: 'FACTORY', inject: [Feed], useFactory: (it: object) => it },
      ],
    });
    expect(Object.keys(registry.status())).toEqual(['Feed']);
  });

  it('subclasses of marked classes, with what those were marked with', async () => {
    const Base = component('Base', { criticality: 'optional' });
    @Injectable()
    class Derived extends Base {}
    const registry = await boot({ imports: [LifecycleModule.forRoot()], providers: [Derived] });
    expect(registry.status()).toEqual({
      Derived: expect.objectContaining({ name: 'Derived', status: 'running', criticality: 'optional' }),
    });
  });

  it('subclasses that are marked otherwise, with that', async () => {
    const Base = component('Base', { criticality: 'optional' });
    @LifecycleComponent({ criticality: 'degradable' })
    class Derived extends Base {}
    const registry = await boot({ imports: [LifecycleModule.forRoot()], providers: [Derived] });
    expect(registry.status()['Derived']).toMatchObject({ criticality: 'degradable' });
  });

  it('controllers, which go on answering', async () => {
    @LifecycleComponent()
    @Controller('feed')
    class FeedController extends Service {
      @Get()
      read() {
        return { fed: true };
      }
    }
    const app = await apps.listen({ imports: [LifecycleModule.forRoot()], controllers: [FeedController] });
    expect(app.get(Registry).status()['FeedController']).toMatchObject({ status: 'running' });
    await expect(get(app, '/feed')).resolves.toEqual({ status: 200, body: { fed: true } });
  });

  it('module classes', async () => {
    @LifecycleComponent()
    @Module({})
    class FeedModule extends Service {}
    const registry = await boot({ imports: [FeedModule, LifecycleModule.forRoot()] });
    expect(Object.keys(registry.status())).toEqual(['FeedModule']);
  });

  it('nothing where nothing is marked', async () => {
    @Injectable()
    class Unmarked extends Service {}
    await expect(namesIn([Unmarked, { provide: 'VALUE', useValue: new Unmarked() }])).resolves.toEqual([]);
  });

  it('components under null values and values of every type', async () => {
    const values = [
      null,
      undefined,
      0,
      '',
      false,
      Symbol('s'),
      1n,
      [],
      () => undefined,
      class {},
      new Map(),
      Object.create(null),
    ];
    const providers: Provider[] = values.map((useValue, index) => ({ provide: `VALUE_${index}`, useValue }));
    await expect(namesIn([...providers, component('Feed')])).resolves.toEqual(['Feed']);
  });

  it('components beside proxies of every oddity that Nest itself survives', async () => {
    const throwing = () => {
      throw new Error('trap');
    };
    const hooksOnly = (target: object) => ({
      get: (_: object, key: string | symbol) =>
        typeof key === 'string' && /^(on|before)[A-Z]|^then$/.test(key) ? undefined : Reflect.get(target, key),
    });
    const endless: object = new Proxy(class {}, { getPrototypeOf: () => endless, ...hooksOnly({}) });
    const revocable = Proxy.revocable(class {}, {});
    revocable.revoke();
    const oddities: Record<string, unknown> = {
      noPrototype: new Proxy({}, { getPrototypeOf: throwing, has: throwing, ownKeys: throwing }),
      callable: new Proxy(() => undefined, { getPrototypeOf: throwing, apply: throwing, construct: throwing }),
      everything: new Proxy(() => undefined, {
        get: (_, key) => (key === 'then' || typeof key === 'symbol' ? undefined : () => undefined),
      }),
      endless,
      instanceOfEndless: Object.create({ constructor: endless }),
      instanceOfRevoked: Object.create({ constructor: revocable.proxy }),
    };
    const providers: Provider[] = Object.entries(oddities).map(([provide, value]) => ({
      provide,
      useFactory: () => value,
    }));
    await expect(namesIn([...providers, component('Feed')])).resolves.toEqual(['Feed']);
  });

  it('a component behind a proxy', async () => {
    const Feed = component('Feed');
    await expect(namesIn([{ provide: 'PROXY', useFactory: () => new Proxy(new Feed(), {}) }])).resolves.toEqual([
      'Feed',
    ]);
  });

  it('the same set in the same order on Nest 11 and 12', async () => {
    const named = (...names: string[]) => names.map((name) => component(name));
    const [a, b, c, d, e, f, g, h] = named('A', 'B', 'C', 'D', 'E', 'F', 'G', 'H') as [
      Type,
      Type,
      Type,
      Type,
      Type,
      Type,
      Type,
      Type,
    ];
    @Module({ providers: [a, { provide: 'B', useFactory: () => new b() }] })
    class DeepModule {}
    @Module({ imports: [DeepModule], providers: [{ provide: 'C', useValue: new c() }], controllers: [] })
    class FirstModule {}
    Controller('d')(d);
    @Module({ imports: [FirstModule], providers: [e], controllers: [d] })
    class SecondModule {}
    const registry = await boot({
      imports: [SecondModule, LifecycleModule.forRoot(), FirstModule],
      providers: [
        f,
        { provide: 'ALIAS', useExisting: f },
        { provide: g, useClass: g },
        { provide: 'H', useFactory: async () => Promise.resolve(new h()) },
      ],
    });
    expect(Object.keys(registry.status())).toEqual(['F', 'G', 'H', 'E', 'C', 'A', 'B', 'D']);
  });
});

describe('discovery refuses', () => {
  const refusal = (root: AppModule) =>
    apps.listen(root).then(
      () => 'booted',
      (error: unknown) => error,
    );

  it('two instances with one name, and names both modules', async () => {
    const Feed = component('Feed');
    @Module({ providers: [Feed] })
    class OrdersModule {}
    @Module({ providers: [{ provide: 'FEED', useFactory: () => new Feed() }] })
    class BillingModule {}
    const error = await refusal({ imports: [OrdersModule, BillingModule, LifecycleModule.forRoot()] });
    expect(error).toBeInstanceOf(DuplicateComponentError);
    expect((error as Error).message).toMatch(/"Feed": Feed in OrdersModule and Feed in BillingModule/);
  });

  it.each([
    ['request', Scope.REQUEST],
    ['transient', Scope.TRANSIENT],
  ])('a %s-scoped component', async (word, scope) => {
    @LifecycleComponent()
    @Injectable({ scope })
    class Feed extends Service {}
    const error = await refusal({ imports: [LifecycleModule.forRoot()], providers: [Feed] });
    expect(error).toBeInstanceOf(ComponentScopeError);
    expect((error as Error).message).toBe(
      `Component "Feed" in module "AppModule" is ${word}-scoped, so there is no one instance to start. ` +
        'Make it, and what it injects, a default-scoped provider, or remove @LifecycleComponent().',
    );
  });

  it('a component that injects something request-scoped', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Tenant {}
    @LifecycleComponent()
    class Feed extends Service {
      constructor(@Inject(Tenant) readonly tenant: Tenant) {
        super();
      }
    }
    const error = await refusal({ imports: [LifecycleModule.forRoot()], providers: [Tenant, Feed] });
    expect(error).toBeInstanceOf(ComponentScopeError);
    expect((error as Error).message).toContain('"Feed" in module "AppModule" is request-scoped');
  });

  it.each([Scope.REQUEST, Scope.TRANSIENT])(
    'a factory of scope %s under the token of a marked class',
    async (scope) => {
      const Feed = component('Feed');
      const providers = [{ provide: Feed, scope, useFactory: () => new Feed() }];
      await expect(refusal({ imports: [LifecycleModule.forRoot()], providers })).resolves.toBeInstanceOf(
        ComponentScopeError,
      );
    },
  );

  it('no other request- or transient-scoped provider', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Tenant {}
    @Injectable({ scope: Scope.TRANSIENT })
    class Helper {}
    await expect(namesIn([Tenant, Helper, component('Feed')])).resolves.toEqual(['Feed']);
  });

  it('a marked class without start(), and names class and module', async () => {
    class Feed {}
    LifecycleComponent()(Feed as Type<Service>);
    const error = await refusal({ imports: [LifecycleModule.forRoot()], providers: [Feed] });
    expect(error).toBeInstanceOf(InvalidComponentError);
    expect((error as Error).message).toMatch(
      /^Feed in AppModule is registered as a component but has no start\(\) method/,
    );
  });

  it('"enabled" that is no boolean, and names class and module', async () => {
    const Feed = component('Feed', { enabled: () => 'yes' as unknown as boolean });
    const error = await refusal({ imports: [LifecycleModule.forRoot()], providers: [Feed] });
    expect(error).toBeInstanceOf(InvalidComponentError);
    expect((error as Error).message).toBe(
      'Option "enabled" of Feed in AppModule is yes, expected a boolean or a function that returns one.',
    );
  });

  it.each([true, false])('a dependency that is not there (awaitStart: %s)', async (awaitStart) => {
    const Feed = component('Feed', { dependsOn: ['nobody'] });
    const error = await refusal({ imports: [LifecycleModule.forRoot({ awaitStart })], providers: [Feed] });
    expect(error).toBeInstanceOf(UnknownDependencyError);
  });
});

describe('an overridden component', () => {
  const [Source, Feed] = [component('Source'), component('Feed')];
  const Reader = component('Reader', { dependsOn: [Feed], name: 'reader' });

  async function overridden(
    override: (
      builder: ReturnType<ReturnType<typeof Test.createTestingModule>['overrideProvider']>,
    ) => ReturnType<typeof Test.createTestingModule>,
  ) {
    const builder = Test.createTestingModule({
      imports: [LifecycleModule.forRoot()],
      providers: [Source, Feed, Reader],
    });
    const app = (await override(builder.overrideProvider(Feed)).compile()).createNestApplication({ logger: false });
    await app.init();
    const status = app.get(Registry).status();
    await app.close();
    return Object.keys(status);
  }

  it.each<[string, unknown, string[]]>([
    ['a value with a start()', { start: () => undefined, stop: () => undefined }, ['Source', 'Feed', 'reader']],
    ['a value without start()', { read: () => undefined }, ['Source', 'reader']],
    ['an empty value', {}, ['Source', 'reader']],
    ['null', null, ['Source', 'reader']],
    ['a function', () => undefined, ['Source', 'reader']],
    [
      'a value with a name of its own',
      { name: 'stand-in', start: () => undefined, stop: () => undefined },
      ['Source', 'stand-in', 'reader'],
    ],
  ])('is replaced by %s, and dependents still find it', async (_, value, expected) => {
    await expect(overridden((builder) => builder.useValue(value))).resolves.toEqual(expected);
  });

  it('is replaced by a class', async () => {
    class StandIn extends Service {}
    await expect(overridden((builder) => builder.useClass(StandIn))).resolves.toEqual(['Source', 'Feed', 'reader']);
  });

  it('is replaced by what a factory returns', async () => {
    await expect(overridden((builder) => builder.useFactory({ factory: () => new Service() }))).resolves.toEqual([
      'Source',
      'Feed',
      'reader',
    ]);
  });

  it('is each of those that one stand-in replaces', async () => {
    const Both = component('Both', { dependsOn: [Source, Feed] });
    const standIn = {};
    const module = await Test.createTestingModule({
      imports: [LifecycleModule.forRoot()],
      providers: [Source, Feed, Both],
    })
      .overrideProvider(Source)
      .useValue(standIn)
      .overrideProvider(Feed)
      .useValue(standIn)
      .compile();
    await module.init();
    expect(Object.keys(module.get(Registry).status())).toEqual(['Both']);
    await module.close();
  });

  it('is found also when it was an alias before', async () => {
    const RealFeed = component('RealFeed');
    const module = await Test.createTestingModule({
      imports: [LifecycleModule.forRoot()],
      providers: [RealFeed, { provide: Feed, useExisting: RealFeed }, Reader],
    })
      .overrideProvider(Feed)
      .useValue({})
      .compile();
    await module.init();
    expect(Object.keys(module.get(Registry).status())).toEqual(['RealFeed', 'reader']);
    await module.close();
  });
});

describe('"enabled"', () => {
  it('leaves out what is disabled, and bridges it for its dependents', async () => {
    const Source = component('Source');
    const Feed = component('Feed', { enabled: false, dependsOn: [Source] });
    const Reader = component('Reader', { dependsOn: [Feed] });
    await expect(namesIn([Reader, Feed, Source])).resolves.toEqual(['Reader', 'Source']);
  });

  it('is asked once, at bootstrap, with the options of the module', async () => {
    const asked: object[] = [];
    const Feed = component('Feed', {
      enabled: (options) => {
        asked.push(options);
        return (options as LifecycleModuleOptions).identity === 'worker-1';
      },
    });
    await expect(namesIn([Feed], { identity: 'worker-1' })).resolves.toEqual(['Feed']);
    await expect(namesIn([Feed], { identity: 'web-1' })).resolves.toEqual([]);
    expect(asked).toEqual([{ identity: 'worker-1' }, { identity: 'web-1' }]);
  });

  it('is told what the factory of forRootAsync() returned', async () => {
    const Feed = component('Feed', {
      enabled: (options) => (options as LifecycleModuleOptions).identity === 'worker-1',
    });
    const registry = await boot({
      imports: [LifecycleModule.forRootAsync({ useFactory: async () => Promise.resolve({ identity: 'worker-1' }) })],
      providers: [Feed],
    });
    expect(registry.count()).toBe(1);
  });
});

describe('autoStart: false', () => {
  it('registers and starts nothing, stands for nothing, and leaves starting to the test', async () => {
    const [Feed, Job] = [component('Feed'), component('Job', true)];
    const app = await apps.listen({ imports: [LifecycleModule.forRoot({ autoStart: false })], providers: [Feed, Job] });
    const registry = app.get(Registry);
    expect(registry.status()).toMatchObject({ Feed: { status: 'pending' }, Job: { status: 'pending' } });
    const control = new AbortController();
    await registry.startAll(control.signal, true);
    expect(registry.status()).toMatchObject({ Feed: { status: 'running' }, Job: { status: 'running' } });
    await apps.close(app);
    expect(registry.status()).toMatchObject({ Feed: { status: 'stopped' }, Job: { status: 'stopped' } });
  });
});

describe('a lazily loaded module', () => {
  it('has its components neither found nor started, which is documented', async () => {
    const [Feed, Late] = [component('Feed'), component('Late')];
    @Module({ providers: [Late] })
    class LateModule {}
    const app = await apps.listen({ imports: [LifecycleModule.forRoot()], providers: [Feed] });
    const late = (await app.get(LazyModuleLoader).load(() => LateModule)).get<Service>(Late);
    const registry = app.get(Registry);
    expect(Object.keys(registry.status())).toEqual(['Feed']);
    registry.register(late, { name: 'Late' });
    await until(() => registry.status()['Late']?.status === 'running');
  });
});

it('says so where the module is imported without forRoot()', async () => {
  const logger = new RecordingLogger();
  const app = await apps.create({ imports: [LifecycleModule], providers: [component('Feed')] }, undefined, { logger });
  await app.init();
  expect(logger.warnings).toEqual([expect.stringContaining('imported without forRoot()')]);
});
