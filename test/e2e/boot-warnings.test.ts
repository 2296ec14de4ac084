import {
  All,
  Controller,
  Get,
  Post,
  RequestMethod,
  Version,
  VersioningType,
  type INestApplication,
  type Type,
} from '@nestjs/common';
import { LifecycleModule, type LifecycleRootOptions } from 'nestjs-lifecycle';
import { ManualClock } from 'nestjs-lifecycle/testing';
import { ADAPTERS, Apps, RecordingLogger, statusOf, type AdapterFactory, type AppModule } from '../fixtures/apps.js';

const apps = new Apps();
let logger: RecordingLogger;
let clock: ManualClock;

beforeEach(() => {
  logger = new RecordingLogger();
  // Stands still, so that what is said about SIGTERM comes in its own tests only.
  clock = new ManualClock();
});

const lifecycle = (options: LifecycleRootOptions = {}) => LifecycleModule.forRoot({ logger, clock, ...options });

async function boot(
  root: AppModule,
  configure: (app: INestApplication) => void = () => undefined,
  createAdapter?: AdapterFactory,
): Promise<INestApplication> {
  const app = await apps.create(root, createAdapter);
  configure(app);
  await app.listen(0, '127.0.0.1');
  return app;
}

describe.each(ADAPTERS)('a global prefix on %s', (_, createAdapter) => {
  const boots = (...args: Parameters<INestApplication['setGlobalPrefix']>) =>
    boot({ imports: [lifecycle()] }, (app) => app.setGlobalPrefix(...args), createAdapter);

  it('moves the endpoints, of which an operator is warned, with the way back', async () => {
    const app = await boots('api');
    expect(logger.warnings).toEqual([
      'The global prefix moves /health, /health/live, /health/ready, /health/startup to /api/health, /api/health/live, ' +
        '/api/health/ready, /api/health/startup. Point the probes there, or exclude them: ' +
        "app.setGlobalPrefix('api', { exclude: ['health', 'health/live', 'health/ready', 'health/startup'] }).",
    ]);
    await expect(statusOf(app, '/api/health/live')).resolves.toBe(200);
    await expect(statusOf(app, '/health/live')).resolves.toBe(404);
  });

  it.each([
    ['each one', ['health', 'health/live', 'health/ready', 'health/startup']],
    ['with slashes', ['/health', '/health/live', '/health/ready', '/health/startup']],
    ['by a pattern', ['health', 'health/*path']],
    ['for GET', ['', '/live', '/ready', '/startup'].map((it) => ({ path: `health${it}`, method: RequestMethod.GET }))],
    ['for all methods', [{ path: 'health{/*path}', method: RequestMethod.ALL }]],
  ])('from which they are excluded, %s, is no reason to warn', async (_how, exclude) => {
    const app = await boots('api', { exclude });
    expect(logger.warnings).toEqual([]);
    for (const path of ['/health', '/health/live', '/health/ready', '/health/startup'])
      await expect(statusOf(app, path)).resolves.toBe(200);
  });

  it.each<[string, Parameters<INestApplication['setGlobalPrefix']>[1], string[]]>([
    ['only /health', { exclude: ['health'] }, ['/health/live', '/health/ready', '/health/startup']],
    ['only the probes', { exclude: ['health/*path'] }, ['/health']],
    [
      'another method',
      { exclude: [{ path: 'health{/*path}', method: RequestMethod.POST }] },
      ['/health', '/health/live', '/health/ready', '/health/startup'],
    ],
  ])('from which %s is excluded moves the others, and the warning says which', async (_how, options, moved) => {
    const app = await boots('/api/', options);
    expect(logger.warnings).toEqual([
      expect.stringContaining(`moves ${moved.join(', ')} to ${moved.map((it) => `/api${it}`).join(', ')}.`),
    ]);
    for (const path of moved) await expect(statusOf(app, `/api${path}`)).resolves.toBe(200);
  });
});

describe('a route that is taken', () => {
  const warning = (routes: string) =>
    expect.stringMatching(new RegExp(`^${routes} may be answered by Other in AppModule: .* Set health\\.path`));

  function controller(
    path: string | string[],
    decorate: (handler: MethodDecorator) => MethodDecorator,
    handler: MethodDecorator,
  ): Type<object> {
    @Controller(path as string)
    class Other {
      answer(): string {
        return 'other';
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(Other.prototype, 'answer')!;
    decorate(handler)(Other.prototype, 'answer', descriptor);
    return Other;
  }
  const plain = (handler: MethodDecorator) => handler;

  it.each<[string, Type<object>, string]>([
    ['as such', controller('health', plain, Get()), 'GET /health'],
    ['from the root', controller('', plain, Get('health/live')), 'GET /health/live'],
    ['by one of several paths', controller(['status', '/health/'], plain, Get(['x', 'ready'])), 'GET /health/ready'],
    ['by all methods', controller('health', plain, All('startup')), 'GET /health/startup'],
    [
      'by a parameter',
      controller('health', plain, Get(':what')),
      'GET /health/live, GET /health/ready, GET /health/startup',
    ],
    [
      'by a wildcard',
      controller('', plain, Get('{*path}')),
      'GET /health, GET /health/live, GET /health/ready, GET /health/startup',
    ],
    [
      'by a wildcard below',
      controller('health', plain, Get('*path')),
      'GET /health/live, GET /health/ready, GET /health/startup',
    ],
  ])('by another controller is warned of: %s', async (_, other, routes) => {
    await boot({ imports: [lifecycle()], controllers: [other] });
    expect(logger.warnings).toEqual([warning(routes)]);
  });

  it('of the status page is warned of as well', async () => {
    const imports = [lifecycle({ statusPage: { guards: [{ canActivate: () => true }] } })];
    await boot({ imports, controllers: [controller('lifecycle', plain, Get('status'))] });
    expect(logger.warnings).toEqual([
      'GET /lifecycle/status may be answered by Other in AppModule: of two routes, the first that was registered ' +
        'answers. Set statusPage.path to another path.',
    ]);
  });

  it('really is taken in that case', async () => {
    const app = await boot({ imports: [lifecycle()], controllers: [controller('', plain, Get('{*path}'))] });
    const response = await fetch(`${await app.getUrl()}/health/live`, { headers: { connection: 'close' } });
    await expect(response.text()).resolves.toBe('other');
  });

  it.each<[string, Type<object>]>([
    ['another path', controller('healthz', plain, Get())],
    ['another path below', controller('health', plain, Get('database'))],
    ['a longer path', controller('health', plain, Get('live/now'))],
    ['another method', controller('health', plain, Post())],
    ['a parameter before', controller(':tenant/health', plain, Get('live/x'))],
  ])('is not warned of for %s', async (_, other) => {
    const app = await boot({ imports: [lifecycle()], controllers: [other] });
    expect(logger.warnings).toEqual([]);
    for (const path of ['/health', '/health/live', '/health/ready', '/health/startup'])
      await expect(statusOf(app, path)).resolves.toBe(200);
  });

  it('is not warned of where a pattern is asked after the exact route, as on Fastify', async () => {
    const other = controller('', plain, Get('*'));
    const app = await boot({ imports: [lifecycle()], controllers: [other] }, undefined, ADAPTERS[1]![1]);
    expect(logger.warnings).toEqual([]);
    await expect(statusOf(app, '/health/ready')).resolves.toBe(200);
  });

  it('is refused by Fastify itself when it is the very same one', async () => {
    const other = controller('health', plain, Get('live'));
    await expect(boot({ imports: [lifecycle()], controllers: [other] }, undefined, ADAPTERS[1]![1])).rejects.toThrow(
      /already declared for route '\/health\/live'/,
    );
  });

  it('is not warned of when versions set it apart', async () => {
    @Controller({ path: 'health', version: '1' })
    class Versioned {
      @Get()
      @Version('1')
      answer(): string {
        return 'other';
      }
    }
    const app = await boot({ imports: [lifecycle()], controllers: [Versioned] }, (it) =>
      it.enableVersioning({ type: VersioningType.URI }),
    );
    expect(logger.warnings).toEqual([]);
    await expect(statusOf(app, '/health')).resolves.toBe(200);
    await expect(statusOf(app, '/v1/health')).resolves.toBe(200);
  });

  it('is not warned of when the endpoints are elsewhere, or off', async () => {
    const other = controller('health', plain, Get());
    await boot({ imports: [lifecycle({ health: { path: 'internal' } })], controllers: [other] });
    await boot({ imports: [lifecycle({ health: { endpoints: false } })], controllers: [other] }, (app) =>
      app.setGlobalPrefix('api'),
    );
    expect(logger.warnings).toEqual([]);
  });

  it('is not warned of in an app without HTTP', async () => {
    await apps.context({ imports: [lifecycle()], controllers: [controller('health', plain, Get())] });
    expect(logger.warnings).toEqual([]);
  });
});

describe('an app in which nothing listens to SIGTERM', () => {
  const said = () => logger.warnings.filter((it) => it.includes('Nothing listens to SIGTERM'));

  it('is warned of once, soon after its boot', async () => {
    await boot({ imports: [lifecycle()] });
    await clock.advance(999);
    expect(said()).toEqual([]);
    await clock.advance(1);
    expect(said()).toEqual([
      'Nothing listens to SIGTERM, so components are killed rather than stopped, and leadership is not handed over. ' +
        'Call app.enableShutdownHooks().',
    ]);
    await clock.advance(600_000);
    expect(said()).toHaveLength(1);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['hooks were enabled before listen()', () => boot({ imports: [lifecycle()] }, (app) => app.enableShutdownHooks())],
    ['hooks were enabled after listen()', async () => (await boot({ imports: [lifecycle()] })).enableShutdownHooks()],
    [
      'hooks were enabled in a context, which can only be after its boot',
      async () => (await apps.context({ imports: [lifecycle()] })).enableShutdownHooks(),
    ],
    ['it was closed before', async () => apps.close(await boot({ imports: [lifecycle()] }))],
  ])('is not meant where %s', async (_, prepare) => {
    await prepare();
    await clock.advance(10_000);
    expect(said()).toEqual([]);
    expect(clock.pending === 0 || logger.errors.length === 0).toBe(true);
  });

  it('is not meant where the app has a handler of its own', async () => {
    const handler = () => undefined;
    process.on('SIGTERM', handler);
    await boot({ imports: [lifecycle()] });
    await clock.advance(10_000);
    process.removeListener('SIGTERM', handler);
    expect(said()).toEqual([]);
  });

  it('is meant also while this library listens along for another app', async () => {
    const handler = () => undefined;
    process.on('SIGTERM', handler);
    const hanging = await apps.create({
      imports: [lifecycle()],
      providers: [{ provide: 'HANGS', useValue: { onApplicationBootstrap: () => new Promise(() => undefined) } }],
    });
    void hanging.listen(0);
    await new Promise((resolve) => setImmediate(resolve));
    process.removeListener('SIGTERM', handler);
    expect(process.listenerCount('SIGTERM')).toBe(1);
    await boot({ imports: [lifecycle()] });
    await clock.advance(1000);
    expect(said()).toHaveLength(1);
  });
});
