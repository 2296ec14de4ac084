import { setImmediate as turn } from 'node:timers/promises';
import {
  Controller,
  Global,
  Inject,
  Injectable,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { LifecycleComponent, LifecycleModule, type LifecycleModuleOptions } from 'nestjs-lifecycle';
import { Apps } from '../fixtures/apps.js';
import { RecordingElector } from '../fixtures/recording-elector.js';
import { aborted, until } from '../fixtures/until.js';

type Place = 'before' | 'after' | 'nested' | 'global';
type Home = 'the root module' | 'a feature module' | 'a nested feature module' | 'the database module';
type Declaration = 'forRoot' | 'forRootAsync';

const SCOPES = ['global', 'local'] as const;
const PLACES: readonly Place[] = ['before', 'after', 'nested', 'global'];
const HOMES: readonly Home[] = [
  'the root module',
  'a feature module',
  'a nested feature module',
  'the database module',
];
const DECLARATIONS: readonly Declaration[] = ['forRoot', 'forRootAsync'];

const MATRIX = SCOPES.flatMap((scope) =>
  PLACES.flatMap((place) =>
    HOMES.flatMap((home) => DECLARATIONS.map((declaration) => ({ scope, place, home, declaration }))),
  ),
);

const apps = new Apps();
let journal: string[];
const record = (entry: string) => void journal.push(entry);

/** Every hook of an app module, each taking a while. */
function hooked(name: string) {
  abstract class Hooked implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
    readonly #hook = async (hook: string) => {
      record(`${name}: ${hook} begins`);
      await turn();
      record(`${name}: ${hook} ends`);
    };
    onModuleInit = () => this.#hook('init');
    onApplicationBootstrap = () => this.#hook('bootstrap');
    onModuleDestroy = () => this.#hook('destroy');
    onApplicationShutdown = () => this.#hook('shutdown');
  }
  return Hooked;
}

@Injectable()
class Database extends hooked('database') {}

@LifecycleComponent()
class Feed {
  constructor(@Inject(Database) readonly database: Database) {}

  async start({ signal }: { signal: AbortSignal }): Promise<void> {
    record('feed starts');
    await aborted(signal);
    await turn();
    record('feed has stopped');
  }
}

@LifecycleComponent({ leaderOnly: true })
class Reconciler {
  constructor(@Inject(Database) readonly database: Database) {}

  start(): void {
    record('reconciler starts');
  }

  async stop(): Promise<void> {
    await turn();
    record('reconciler has stopped');
  }
}

@Controller()
class OtherController extends hooked('controller') {}

const COMPONENTS = [Feed, Reconciler];

function databaseModule(isGlobal: boolean, components: Type<object>[]): Type<object> {
  @Module({ providers: [Database, ...components], exports: [Database] })
  class DatabaseModule extends hooked('database module') {}
  if (isGlobal) Global()(DatabaseModule);
  return DatabaseModule;
}

function featureModule(imports: Type<object>[], components: Type<object>[]): Type<object> {
  @Module({ imports, providers: components })
  class FeatureModule extends hooked('feature module') {}
  return FeatureModule;
}

function nested(inner: Type<object>): Type<object> {
  @Module({ imports: [inner], exports: [inner] })
  class NestingModule extends hooked('nesting module') {}
  return NestingModule;
}

function lifecycleModule(scope: 'global' | 'local', declaration: Declaration, database: Type<object>): DynamicModule {
  const isGlobal = scope === 'global';
  const options: LifecycleModuleOptions = { elector: new RecordingElector(record) };
  if (declaration === 'forRoot') return LifecycleModule.forRoot({ isGlobal, ...options });
  return LifecycleModule.forRootAsync({
    isGlobal,
    imports: [database],
    inject: [Database],
    useFactory: async () => {
      await turn();
      return options;
    },
  });
}

function appModule({ scope, place, home, declaration }: (typeof MATRIX)[number]): Type<object> {
  const inHome = (candidate: Home) => (candidate === home ? COMPONENTS : []);
  const database = databaseModule(place === 'global', inHome('the database module'));
  const lifecycle = lifecycleModule(scope, declaration, database);
  const needsDatabase = place === 'nested' ? nested(nested(database)) : database;
  const feature = featureModule([needsDatabase], inHome('a feature module'));
  const deepFeature = nested(nested(featureModule([needsDatabase], inHome('a nested feature module'))));
  const others = [needsDatabase, feature, deepFeature];

  @Module({
    imports: place === 'after' ? [lifecycle, ...others] : [...others, lifecycle],
    controllers: [OtherController],
    providers: inHome('the root module'),
  })
  class AppModule extends hooked('root module') {}
  return AppModule;
}

const indexesOf = (pattern: RegExp) => journal.flatMap((entry, index) => (pattern.test(entry) ? [index] : []));

beforeEach(() => {
  journal = [];
});

describe.each(MATRIX)(
  'with our module $scope by $declaration, the database module $place, and the components in $home',
  (arrangement) => {
    it('starts components after all bootstrap hooks, and destroys what they inject after they have stopped and released', async () => {
      const app = await apps.listen(appModule(arrangement));
      await until(() => journal.includes('reconciler starts'));
      await apps.close(app);

      const lastBootstrap = Math.max(...indexesOf(/bootstrap ends/));
      const firstWork = Math.min(...indexesOf(/starts|campaigning|elected/));
      const lastWork = Math.max(...indexesOf(/has stopped|released|elector closed/));
      const firstDestroy = Math.min(...indexesOf(/destroy begins/));
      expect(firstWork).toBeGreaterThan(lastBootstrap);
      expect(firstDestroy).toBeGreaterThan(lastWork);
      expect(journal.filter((it) => !it.includes(': '))).toEqual([
        'feed starts',
        'campaigning',
        'elected',
        'reconciler starts',
        'reconciler has stopped',
        'term settled',
        'released',
        'feed has stopped',
        'elector closed',
      ]);
    });
  },
);

it('ran hooks on every kind of holder in that matrix', async () => {
  const app = await apps.listen(appModule(MATRIX[0]!));
  await apps.close(app);
  for (const holder of [
    'database',
    'database module',
    'feature module',
    'nesting module',
    'controller',
    'root module',
  ]) {
    expect(journal).toContain(`${holder}: bootstrap ends`);
    expect(journal).toContain(`${holder}: destroy begins`);
  }
});

describe.each(['an application context', 'an app that is never opened'])('in %s', (kind) => {
  it('holds the same order', async () => {
    const root = appModule({
      scope: 'local',
      place: 'nested',
      home: 'a nested feature module',
      declaration: 'forRoot',
    });
    const app =
      kind === 'an application context' ? await apps.context(root) : await apps.create(root).then((it) => it.init());
    await until(() => journal.includes('reconciler starts'));
    await app.close();
    expect(Math.min(...indexesOf(/starts/))).toBeGreaterThan(Math.max(...indexesOf(/bootstrap ends/)));
    expect(Math.min(...indexesOf(/destroy begins/))).toBeGreaterThan(Math.max(...indexesOf(/stopped|released/)));
  });
});

it('holds the order also for a component that has hooks of its own', async () => {
  @LifecycleComponent()
  class Hooking extends hooked('component') {
    start() {
      record('component starts');
    }

    stop() {
      record('component stops');
    }
  }
  const app = await apps.listen({ imports: [LifecycleModule.forRoot()], providers: [Hooking] });
  await apps.close(app);
  const order = ['component: bootstrap ends', 'component starts', 'component stops', 'component: destroy begins'];
  expect(journal.filter((it) => order.includes(it))).toEqual(order);
});

describe('what the module is given to work with', () => {
  /** An elector that closes its connection in a hook, as many a provider does. */
  @Injectable()
  class HookedElector extends RecordingElector implements OnModuleDestroy {
    constructor() {
      super(record);
    }

    onModuleDestroy(): void {
      record('connection closed');
    }
  }

  @Injectable()
  class Settings implements OnModuleDestroy {
    createLifecycleOptions() {
      return {};
    }

    onModuleDestroy(): void {
      record('settings destroyed');
    }
  }

  it.each([
    ['useClass', { useClass: HookedElector }],
    ['useFactory', { useFactory: () => new HookedElector() }],
  ])('is destroyed only after the term was released: an elector by %s', async (_, elector) => {
    for (const lifecycle of [
      LifecycleModule.forRoot({ elector }),
      LifecycleModule.forRootAsync({ elector, useClass: Settings }),
    ]) {
      journal = [];
      const app = await apps.listen({ imports: [lifecycle], providers: [Database, Reconciler] });
      await until(() => journal.includes('reconciler starts'));
      await apps.close(app);
      const order = ['reconciler has stopped', 'term settled', 'released', 'elector closed', 'connection closed'];
      expect(journal.filter((it) => order.includes(it))).toEqual(order);
    }
  });

  it('is destroyed only after the term was released: an instance, or a class', async () => {
    for (const elector of [new HookedElector(), HookedElector]) {
      journal = [];
      const app = await apps.listen({
        imports: [LifecycleModule.forRoot({ elector })],
        providers: [Database, Reconciler],
      });
      await until(() => journal.includes('reconciler starts'));
      await apps.close(app);
      const order = ['released', 'elector closed', 'connection closed'];
      expect(journal.filter((it) => order.includes(it))).toEqual(order);
    }
  });
});
