import { Agent, createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Controller, Get, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import {
  LifecycleComponent,
  LifecycleModule,
  ManagementPathError,
  ManagementPortError,
  ManagementServer,
  type LifecycleObserver,
  type LifecycleRootOptions,
  type StartContext,
} from 'nestjs-lifecycle';
import { ManagementHost } from '../../lib/management/management-host.js';
import { ADAPTERS, Apps, get, RecordingLogger } from '../fixtures/apps.js';
import { ask, managementPort } from '../fixtures/management.js';
import { aborted, gate, until } from '../fixtures/until.js';

const apps = new Apps();
const PROBES = ['/health', '/health/live', '/health/ready', '/health/startup'];
const HOST = '127.0.0.1';

@LifecycleComponent()
class Feed {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }
}

@LifecycleComponent({ criticality: 'critical' })
class Broken {
  async start(): Promise<void> {
    throw new Error('postgres://user:secret@db/orders');
  }
}

const moduleWith = (options: LifecycleRootOptions, ...providers: (new (...args: never[]) => object)[]) => ({
  imports: [
    LifecycleModule.forRoot({
      logger: new RecordingLogger(),
      ...options,
      health: { port: 0, host: HOST, ...options.health },
    }),
  ],
  providers: [Feed, ...providers],
});
const page = (path: string, body = 'x 1\n'): LifecycleObserver => ({
  pages: [{ path, render: async () => ({ contentType: 'text/plain; version=0.0.4', body }) }],
});

describe.each(ADAPTERS)('an app on %s with a management port', (_, createAdapter) => {
  it('answers there as its own server would, and no longer on its own', async () => {
    const own = await apps.listen(
      { imports: [LifecycleModule.forRoot({ failFast: false })], providers: [Feed, Broken] },
      createAdapter,
    );
    const app = await apps.listen(moduleWith({ failFast: false }, Broken), createAdapter);
    const port = managementPort(app);
    const ownPort = (own.getHttpServer().address() as AddressInfo).port;
    // What differs between any two apps.
    const shown = (text: string) => text.replaceAll(/"(?:since|leader|fencingToken)":"[^"]+"/g, '');
    for (const path of PROBES) {
      const [here, there] = await Promise.all([ask(ownPort, path), ask(port, path)]);
      expect([path, there.status, shown(there.text)]).toEqual([path, here.status, shown(here.text)]);
      for (const header of ['cache-control', 'content-type']) expect(there.headers[header]).toBe(here.headers[header]);
      expect((await get(app, path)).status).toBe(404);
    }
  });

  it('answers 404 on its own server when the port comes from the factory', async () => {
    const useFactory = () => ({ logger: new RecordingLogger(), health: { port: 0, host: HOST } });
    const app = await apps.listen({ imports: [LifecycleModule.forRootAsync({ useFactory })] }, createAdapter);
    for (const path of PROBES) {
      expect((await ask(managementPort(app), path)).status).toBe(200);
      expect((await get(app, path)).status).toBe(404);
    }
  });
});

it('leaves its path to a controller of the app where the endpoints are off', async () => {
  @Controller('health')
  class OwnController {
    @Get()
    own(): string {
      return 'own';
    }
  }
  const imports = [
    LifecycleModule.forRootAsync({
      health: { endpoints: false },
      useFactory: () => ({ logger: new RecordingLogger(), health: { port: 0, host: HOST } }),
    }),
  ];
  const app = await apps.listen({ imports, controllers: [OwnController] });
  expect(await get(app, '/health')).toEqual({ status: 200, body: 'own' });
  expect((await ask(managementPort(app), '/health')).status).toBe(200);
});

it.each([true, false])('warns of a controller of the app at its path, when the endpoints are %s', async (endpoints) => {
  @Controller('health')
  class OwnController {
    @Get()
    own(): string {
      return 'own';
    }
  }
  const logger = new RecordingLogger();
  const useFactory = () => ({ logger, health: { port: 0, host: HOST } });
  const imports = [LifecycleModule.forRootAsync({ health: { endpoints }, useFactory })];
  const app = await apps.create({ imports, controllers: [OwnController] });
  app.setGlobalPrefix('api');
  await app.init();
  expect(logger.warnings.filter((it) => it.includes('OwnController')).length).toBe(endpoints ? 1 : 0);
  expect(logger.warnings.filter((it) => it.includes('global prefix'))).toEqual([]);
});

it('warns of nothing where its routes are not in the app', async () => {
  @Controller('health')
  class OwnController {
    @Get()
    own(): string {
      return 'own';
    }
  }
  const logger = new RecordingLogger();
  await apps.listen({ ...moduleWith({ logger }), controllers: [OwnController] });
  expect(logger.warnings).toEqual([]);
});

it('has no server without a port', async () => {
  const app = await apps.listen({ imports: [LifecycleModule.forRoot({ observers: [page('metrics')] })] });
  expect(app.get(ManagementServer).address()).toBeUndefined();
});

it('tells where it listens, in the log too', async () => {
  const logger = new RecordingLogger();
  const app = await apps.context(moduleWith({ logger, observers: [page('metrics')] }));
  const port = managementPort(app);
  expect(app.get(ManagementServer).address()).toEqual({ host: HOST, port });
  expect(logger.logs).toContain(
    `The management server listens on http://127.0.0.1:${port}, with /health, /health/live, /health/ready, /health/startup, /metrics`,
  );
});

it('listens on all interfaces when it is given none', async () => {
  const app = await apps.context({
    imports: [LifecycleModule.forRoot({ logger: new RecordingLogger(), health: { port: 0 } })],
  });
  expect(['::', '0.0.0.0']).toContain(app.get(ManagementServer).address()?.host);
  expect((await ask(managementPort(app), '/health/live')).status).toBe(200);
});

describe('over the life of an application context', () => {
  it('answers before other modules begin, during the first start, and until everything has stopped', async () => {
    const [init, start, stop, shutdown] = [gate(), gate(), gate(), gate()];
    let server: ManagementServer | undefined;
    const reached: string[] = [];
    @Injectable()
    class Database implements OnModuleInit, OnApplicationShutdown {
      constructor(given: ManagementServer) {
        server = given;
      }
      async onModuleInit(): Promise<void> {
        reached.push('init');
        await init.promise;
      }
      async onApplicationShutdown(): Promise<void> {
        reached.push('shutdown');
        await shutdown.promise;
      }
    }
    Reflect.defineMetadata('design:paramtypes', [ManagementServer], Database);
    @LifecycleComponent()
    class Slow {
      async start(): Promise<void> {
        reached.push('start');
        await start.promise;
      }
      async stop(): Promise<void> {
        reached.push('stop');
        await stop.promise;
      }
    }
    const statuses = async () => {
      const port = server?.address()?.port ?? 0;
      return Promise.all(['live', 'ready', 'startup'].map(async (it) => (await ask(port, `/health/${it}`)).status));
    };
    const observers = [page('metrics')];
    const booting = apps.context(moduleWith({ observers }, Slow, Database));
    await until(() => reached.includes('init'));
    expect(await statuses()).toEqual([200, 503, 503]);
    // Its observer does not know the app yet.
    expect((await ask(server?.address()?.port ?? 0, '/metrics')).status).toBe(503);
    init.open();
    await until(() => reached.includes('start'));
    expect(await statuses()).toEqual([200, 503, 503]);
    expect((await ask(server?.address()?.port ?? 0, '/metrics')).status).toBe(200);
    start.open();
    const app = await booting;
    expect(await statuses()).toEqual([200, 200, 200]);

    const closing = apps.close(app);
    await until(() => reached.includes('stop'));
    expect(await statuses()).toEqual([200, 503, 200]);
    stop.open();
    await until(() => reached.includes('shutdown'));
    expect(await statuses()).toEqual([200, 503, 200]);
    const port = managementPort(app);
    shutdown.open();
    await closing;
    await expect(ask(port, '/health/live')).rejects.toThrow('ECONNREFUSED');
    expect(server?.address()).toBeUndefined();
  });

  it('is free again after a boot that fails', async () => {
    const taken = createServer().listen(0, HOST);
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    taken.close();
    await once(taken, 'close');
    await expect(apps.context(moduleWith({ health: { port } }, Broken))).rejects.toThrow('secret@db');
    const app = await apps.context(moduleWith({ health: { port } }));
    expect(managementPort(app)).toBe(port);
  });

  it('can be closed before it listens, while it does, and twice', async () => {
    const app = await apps.create(moduleWith({}));
    const server = app.get(ManagementHost);
    const listening = server.onModuleInit();
    await Promise.all([server.close(), server.close()]);
    await listening;
    expect(server.address()).toBeUndefined();
    await app.init();
    expect(server.address()).toBeUndefined();
  });

  it('listens once, also when Nest runs its hook twice', async () => {
    const app = await apps.context(moduleWith({}));
    const port = managementPort(app);
    await app.get(ManagementHost).onModuleInit();
    expect(managementPort(app)).toBe(port);
  });
});

describe('where it cannot listen', () => {
  it('rejects the boot, and says who has the port', async () => {
    const taken = createServer().listen(0, HOST);
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const error: unknown = await apps.context(moduleWith({ health: { port } })).catch((it: unknown) => it);
    expect(error).toBeInstanceOf(ManagementPortError);
    expect(error).toMatchObject({ code: 'ERR_LIFECYCLE_MANAGEMENT_PORT', port, host: HOST });
    expect((error as Error).message).toMatch(
      new RegExp(`cannot listen on health.port ${port}, health.host "127.0.0.1": .*EADDRINUSE.* give another port`),
    );
    taken.close();
  });

  it.each(['203.0.113.7', 'no-such-host.invalid'])('rejects the boot for the host %s', async (host) => {
    const error: unknown = await apps.context(moduleWith({ health: { host } })).catch((it: unknown) => it);
    expect(error).toBeInstanceOf(ManagementPortError);
    expect((error as Error).message).toContain('Give a host that is an address of this machine');
  });
});

describe('pages of observers', () => {
  it('are served below the root, with their content type', async () => {
    const app = await apps.context(moduleWith({ observers: [page('metrics', 'up 1\n'), page('debug/terms', 'none')] }));
    const metrics = await ask(managementPort(app), '/metrics');
    expect(metrics).toMatchObject({ status: 200, text: 'up 1\n' });
    expect(metrics.headers).toMatchObject({
      'content-type': 'text/plain; version=0.0.4',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect((await ask(managementPort(app), '/debug/terms')).text).toBe('none');
  });

  it('that fail answer 500 without a word of why, which is in the log', async () => {
    const logger = new RecordingLogger();
    const failing: LifecycleObserver = {
      pages: [{ path: 'metrics', render: () => Promise.reject(new Error('secret')) }],
    };
    const app = await apps.context(moduleWith({ logger, observers: [failing] }));
    const reply = await ask(managementPort(app), '/metrics');
    expect(reply).toMatchObject({ status: 500, text: '{"statusCode":500,"message":"Internal Server Error"}' });
    expect(logger.warnings).toEqual(['The management server could not answer for /metrics: secret']);
    expect((await ask(managementPort(app), '/health/live')).status).toBe(200);
  });

  it.each([
    ['health', [page('health')]],
    ['health/live', [page('health/live')]],
    ['metrics', [page('metrics'), page('/metrics')]],
  ])('reject the boot when /%s is taken twice', async (path, observers) => {
    const error: unknown = await apps.context(moduleWith({ observers })).catch((it: unknown) => it);
    expect(error).toBeInstanceOf(ManagementPathError);
    expect(error).toMatchObject({ path: `/${path}` });
  });

  it.each(['', '../etc', 'a b', '*'])('reject the boot for the path %j', async (path) => {
    await expect(apps.context(moduleWith({ observers: [page(path)] }))).rejects.toThrow(
      'as the path of a page of observer Object',
    );
  });
});

describe('requests', () => {
  it.each([
    '/',
    '/other',
    '/health/',
    '//health',
    '/HEALTH',
    '/health/../health',
    '/%68ealth',
    '/health%2flive',
    '/health/live/more',
    'http://other.example/health',
    '*',
  ])('for %s find nothing', async (path) => {
    const app = await apps.context(moduleWith({}));
    expect(await ask(managementPort(app), path)).toMatchObject({
      status: 404,
      text: '{"statusCode":404,"message":"Not Found"}',
    });
  });

  it('may have a query', async () => {
    const app = await apps.context(moduleWith({}));
    expect((await ask(managementPort(app), '/health/live?verbose')).status).toBe(200);
  });

  it('of HEAD get the headers of GET and no body', async () => {
    const app = await apps.context(moduleWith({ observers: [page('metrics')] }));
    for (const path of [...PROBES, '/metrics']) {
      const [head, whole] = [
        await ask(managementPort(app), path, { method: 'HEAD' }),
        await ask(managementPort(app), path),
      ];
      expect({ ...head, headers: { ...head.headers, date: '' } }).toEqual({
        ...whole,
        text: '',
        headers: { ...whole.headers, date: '' },
      });
    }
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'])('of %s are not allowed', async (method) => {
    const app = await apps.context(moduleWith({}));
    const reply = await ask(managementPort(app), '/health', { method });
    expect(reply).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });
});

describe('connections', () => {
  it('that are kept alive do not hold the shutdown', async () => {
    const agent = new Agent({ keepAlive: true });
    const app = await apps.context(moduleWith({}));
    await ask(managementPort(app), '/health', { agent });
    const before = performance.now();
    await apps.close(app);
    expect(performance.now() - before).toBeLessThan(900);
    agent.destroy();
  });

  it('on which an answer hangs are cut at the end', async () => {
    const rendering = gate();
    const hanging: LifecycleObserver = {
      pages: [{ path: 'metrics', render: () => (rendering.open(), new Promise<never>(() => undefined)) }],
    };
    const app = await apps.context(moduleWith({ observers: [hanging] }));
    const cut = expect(ask(managementPort(app), '/metrics')).rejects.toThrow('socket hang up');
    await rendering.promise;
    await apps.close(app);
    await cut;
  });

  it('beyond a hundred are refused, and those that send nothing make room', async () => {
    const logger = new RecordingLogger();
    const app = await apps.context(moduleWith({ logger }));
    const port = managementPort(app);
    const sockets = Array.from({ length: 110 }, () => connect(port, HOST));
    sockets.forEach((it) => it.on('error', () => undefined).resume());
    await until(() => logger.warnings.length > 0);
    expect(logger.warnings).toEqual(['The management server has too many connections and refuses more.']);
    await until(async () => {
      await pause(100);
      return ask(port, '/health/live').then(
        ({ status }) => status === 200,
        () => false,
      );
    });
    expect(sockets.filter((it) => !it.closed).length).toBeLessThan(100);
    sockets.forEach((it) => it.destroy());
  });
});
