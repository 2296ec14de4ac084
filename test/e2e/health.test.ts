import {
  Inject,
  Injectable,
  Module,
  SetMetadata,
  UseGuards,
  UnauthorizedException,
  VersioningType,
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
  type Type,
} from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import {
  createActivityTracker,
  createProcessingTracker,
  LifecycleComponent,
  LifecycleModule,
  type LifecycleComponentOptions,
  type LifecycleRootOptions,
  type StartContext,
} from 'nestjs-lifecycle';
import { MemoryElectionHub, MemoryElector } from 'nestjs-lifecycle/electors/memory';
import { ADAPTERS, Apps, get, RecordingLogger, statusOf, type AdapterFactory } from '../fixtures/apps.js';
import { until } from '../fixtures/until.js';

declare const NEST_MAJOR: 11 | 12;

const apps = new Apps();
const quick = (options: LifecycleRootOptions = {}) =>
  LifecycleModule.forRoot({
    logger: new RecordingLogger(),
    ...options,
    health: { intervalMs: 10, timeoutMs: 20, ...options.health },
  });

abstract class Service {
  start(_context: StartContext): Promise<void> | void {
    // Up at once.
  }

  stop(): void {
    // Down at once.
  }
}

function component(name: string, options: LifecycleComponentOptions, parts: object = {}): Type<object> {
  class Made extends Service {
    readonly name = name;
  }
  Object.assign(Made.prototype, parts);
  LifecycleComponent(options)(Made);
  return Made;
}

const checked = (name: string, options: LifecycleComponentOptions, healthCheck: (signal?: AbortSignal) => unknown) =>
  component(name, options, { healthCheck });
const failing = (name: string, options: LifecycleComponentOptions, error: unknown = new Error('no broker')) =>
  component(name, options, { start: () => Promise.reject(error) });

const detail = async (app: INestApplication, key: string) => (await get(app, '/health')).body.details[key] as object;
const probes = async (app: INestApplication) => ({
  health: await statusOf(app, '/health'),
  live: await statusOf(app, '/health/live'),
  ready: await statusOf(app, '/health/ready'),
  startup: await statusOf(app, '/health/startup'),
});
const WELL = { health: 200, live: 200, ready: 200, startup: 200 };

describe.each(ADAPTERS)('health over HTTP on %s', (_, createAdapter: AdapterFactory) => {
  const boot = (providers: Type<object>[], options: LifecycleRootOptions = {}) =>
    apps.listen({ imports: [quick(options)], providers }, createAdapter);

  it('is 200 everywhere while all is well, and names each component and election', async () => {
    const app = await boot([checked('feed', {}, () => undefined), component('job', { leaderOnly: true })]);
    await until(async () => !('state' in (await detail(app, 'component:job'))));
    await expect(probes(app)).resolves.toEqual(WELL);
    const { body } = await get(app, '/health');
    expect(body).toMatchObject({
      status: 'ok',
      error: {},
      details: {
        'component:feed': { status: 'up' },
        'component:job': { status: 'up', election: 'default' },
        'leadership:default': { status: 'up', role: 'leader', fencingToken: expect.stringMatching(/^\d+$/) },
      },
    });
    expect(Object.keys(body.details)).toEqual(['component:feed', 'component:job', 'leadership:default']);
    await expect(get(app, '/health/live')).resolves.toEqual({ status: 200, body: { status: 'ok' } });
  });

  it('is 503 while a critical component is unhealthy, and 200 again when it is well; the replica stays ready and alive', async () => {
    let error: Error | undefined = new Error('no broker');
    const app = await boot([
      checked('feed', {}, () => {
        if (error) throw error;
      }),
      component('api', {}),
    ]);
    await until(async () => (await statusOf(app, '/health')) === 503);
    await expect(get(app, '/health')).resolves.toMatchObject({
      body: {
        status: 'error',
        info: { 'component:api': { status: 'up' } },
        error: { 'component:feed': { status: 'down', state: 'running', note: 'unhealthy: no broker' } },
      },
    });
    await expect(probes(app)).resolves.toEqual({ ...WELL, health: 503 });
    error = undefined;
    await until(async () => (await statusOf(app, '/health')) === 200);
  });

  it('is 503, also readiness and liveness, when a critical component has failed for good', async () => {
    const app = await boot([failing('feed', {})], { failFast: false });
    await expect(probes(app)).resolves.toEqual({ health: 503, live: 503, ready: 503, startup: 200 });
    await expect(get(app, '/health/live')).resolves.toMatchObject({
      body: { status: 'error', reasons: ['component "feed" has failed for good: no broker'] },
    });
  });

  it('is 200 and degraded when a degradable component has failed', async () => {
    const app = await boot([failing('cache', { criticality: 'degradable' })]);
    await expect(probes(app)).resolves.toEqual(WELL);
    const { body } = await get(app, '/health');
    if (NEST_MAJOR === 12) {
      expect(body).toMatchObject({
        status: 'degraded',
        details: { 'component:cache': { status: 'degraded', state: 'failed', note: 'failed: no broker' } },
      });
    } else {
      expect(body).toMatchObject({
        status: 'ok',
        details: { 'component:cache': { status: 'up', state: 'failed', note: 'degraded: failed: no broker' } },
      });
    }
  });

  it('is 200 when an optional component has failed, and reports it', async () => {
    const app = await boot([failing('metrics', { criticality: 'optional' })]);
    await expect(probes(app)).resolves.toEqual(WELL);
    await expect(get(app, '/health')).resolves.toMatchObject({
      body: {
        status: 'ok',
        details: { 'component:metrics': { status: 'up', criticality: 'optional', note: 'failed: no broker' } },
      },
    });
  });

  it('shows components of every name, and loses none', async () => {
    const names = [
      '__proto__',
      'constructor',
      'status',
      'toString',
      'hasOwnProperty',
      'component:a',
      'a/b c',
      'ünï"\n',
      '0',
    ];
    const app = await boot([
      ...names.map((name) => failing(name, { criticality: 'optional' })),
      component('leadership:default', {}),
    ]);
    const { status, body } = await get(app, '/health');
    expect(status).toBe(200);
    expect(body.status).toBe('ok');
    for (const name of [...names, 'leadership:default'])
      expect(Object.keys(body.details)).toContain(`component:${name}`);
    expect(Object.keys(body.details)).toHaveLength(names.length + 2);
    expect(Object.getPrototypeOf(body.details)).toBe(Object.prototype);
  });

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('check threw');
      },
      'unhealthy: check threw',
    ],
    ['rejects', () => Promise.reject(new Error('check rejected')), 'unhealthy: check rejected'],
    ['rejects with a string', () => Promise.reject('just text'), 'unhealthy: just text'],
    ['rejects with null', () => Promise.reject(null), 'unhealthy: null thrown'],
    ['rejects with undefined', () => Promise.reject(undefined), 'unhealthy: undefined thrown'],
    ['rejects with an object', () => Promise.reject({ code: 5 }), 'unhealthy: {"code":5}'],
    [
      'rejects with a circular object',
      () => {
        const circular: Record<string, unknown> = {};
        circular['self'] = circular;
        return Promise.reject(circular);
      },
      'unhealthy: an unprintable value was thrown',
    ],
    [
      'hangs',
      () => new Promise(() => undefined),
      'unhealthy: The health check of component "feed" has not settled within 20 ms',
    ],
    [
      'rejects with markup and quotes',
      () => Promise.reject(new Error('<b>"x"</b>\\ \u2028 \ud800')),
      'unhealthy: <b>"x"</b>\\ \u2028 ',
    ],
  ])('shows a check that %s as down in time, beside the others', async (_how, healthCheck, note) => {
    const app = await boot([checked('feed', {}, healthCheck), checked('api', {}, () => undefined)]);
    await until(async () => (await statusOf(app, '/health')) === 503);
    const { body } = await get(app, '/health');
    expect(body.details['component:feed'].status).toBe('down');
    expect(body.details['component:feed'].note).toContain(note);
    expect(body.details['component:api']).toMatchObject({ status: 'up' });
    await expect(probes(app)).resolves.toEqual({ ...WELL, health: 503 });
  });

  it('answers at once while a check hangs and ignores its signal', async () => {
    let calls = 0;
    const app = await boot([
      checked('feed', {}, () => {
        calls++;
        return new Promise(() => undefined);
      }),
    ]);
    await until(async () => (await statusOf(app, '/health')) === 503);
    for (let probe = 0; probe < 20; probe++) await statusOf(app, '/health');
    expect(calls).toBe(1);
  });

  it.each([
    ['an activity tracker', createActivityTracker('feed', 1)],
    ['a processing tracker', createProcessingTracker('feed', 1)],
  ])('fails liveness for a critical component that has stalled, by %s', async (_how, tracker) => {
    const start = () => void tracker.startProcessing();
    const app = await boot([component('feed', {}, { start, healthCheck: () => tracker.check() })]);
    await until(async () => (await statusOf(app, '/health/live')) === 503);
    await expect(get(app, '/health/live')).resolves.toMatchObject({
      body: { reasons: [expect.stringMatching(/^component "feed" makes no progress: /)] },
    });
    await expect(statusOf(app, '/health/ready')).resolves.toBe(200);
  });

  it('keeps liveness for a component that is not critical and has stalled', async () => {
    const tracker = createActivityTracker('feed', 1);
    const app = await boot([checked('feed', { criticality: 'degradable' }, () => tracker.check())]);
    await until(async () => JSON.stringify(await detail(app, 'component:feed')).includes('unhealthy'));
    await expect(probes(app)).resolves.toEqual(WELL);
  });

  it('is up and ready on standby, and says who leads', async () => {
    const hub = new MemoryElectionHub();
    const job = () => component('job', { leaderOnly: true });
    const leader = await boot([job()], { identity: 'one', elector: new MemoryElector(hub) });
    await until(async () => !('state' in (await detail(leader, 'component:job'))));
    const standby = await boot([job()], { identity: 'two', elector: new MemoryElector(hub) });
    await until(async () => (await get(standby, '/health')).body.details['leadership:default']?.leader === 'one');
    await expect(probes(standby)).resolves.toEqual(WELL);
    await expect(get(standby, '/health')).resolves.toMatchObject({
      body: {
        status: 'ok',
        details: {
          'component:job': { status: 'up', state: 'standby', election: 'default' },
          'leadership:default': { status: 'up', role: 'standby', leader: 'one' },
        },
      },
    });
  });

  it('counts a component that completes as done, and one that just ends as not ready', async () => {
    const ends = { start: () => Promise.resolve(), stop: undefined };
    const app = await boot([component('migrate', { completes: true }, ends)]);
    await until(async () => JSON.stringify(await detail(app, 'component:migrate')).includes('stopped'));
    await expect(probes(app)).resolves.toEqual(WELL);
    const other = await boot([component('poller', {}, ends)]);
    await until(async () => (await statusOf(other, '/health/ready')) === 503);
    await expect(statusOf(other, '/health')).resolves.toBe(503);
  });

  it('shows a restart that is pending, and counts restarts', async () => {
    let starts = 0;
    const app = await boot([
      component(
        'feed',
        { restart: { mode: 'on-failure', initialDelayMs: 0 } },
        {
          start() {
            if (starts++ < 2) throw new Error('not yet');
          },
        },
      ),
    ]);
    await until(async () => (await statusOf(app, '/health')) === 200);
    await expect(detail(app, 'component:feed')).resolves.toMatchObject({ status: 'up', restarts: 2 });
  });
});

describe.each(ADAPTERS)('the health routes on %s', (_, createAdapter: AdapterFactory) => {
  it('are not there with endpoints: false', async () => {
    const app = await apps.listen({ imports: [quick({ health: { endpoints: false } })] }, createAdapter);
    await expect(probes(app)).resolves.toEqual({ health: 404, live: 404, ready: 404, startup: 404 });
  });

  it.each(['internal/health', '/internal/health/'])('are where health.path says: %s', async (path) => {
    const app = await apps.listen({ imports: [quick({ health: { path } })] }, createAdapter);
    await expect(statusOf(app, '/internal/health')).resolves.toBe(200);
    await expect(statusOf(app, '/internal/health/ready')).resolves.toBe(200);
    await expect(probes(app)).resolves.toEqual({ health: 404, live: 404, ready: 404, startup: 404 });
  });

  it.each([VersioningType.URI, VersioningType.HEADER, VersioningType.MEDIA_TYPE])(
    'have no version when the app has versions (%s)',
    async (type) => {
      const app = await apps.create({ imports: [quick()] }, createAdapter);
      const options = { type, defaultVersion: '1', header: 'x-version', key: 'v=' };
      app.enableVersioning(options as Parameters<typeof app.enableVersioning>[0]);
      await app.listen(0, '127.0.0.1');
      await expect(probes(app)).resolves.toEqual(WELL);
    },
  );

  it('are closed by a global guard, and opened by the decorator that it looks for', async () => {
    class AuthGuard implements CanActivate {
      canActivate(context: ExecutionContext): boolean {
        const targets = [context.getHandler(), context.getClass()];
        if (new Reflector().getAllAndOverride<boolean>('isPublic', targets)) return true;
        throw new UnauthorizedException();
      }
    }
    const providers = [{ provide: APP_GUARD, useClass: AuthGuard }];
    const closed = await apps.listen({ imports: [quick()], providers }, createAdapter);
    await expect(probes(closed)).resolves.toEqual({ health: 401, live: 401, ready: 401, startup: 401 });
    const decorators = [SetMetadata('isPublic', true)];
    const opened = await apps.listen({ imports: [quick({ health: { decorators } })], providers }, createAdapter);
    await expect(probes(opened)).resolves.toEqual(WELL);
    const health = { decorators };
    const asynchronous = LifecycleModule.forRootAsync({
      health,
      useFactory: () => ({ logger: new RecordingLogger() }),
    });
    const other = await apps.listen({ imports: [asynchronous], providers }, createAdapter);
    await expect(probes(other)).resolves.toEqual(WELL);
  });

  it('may have a guard of their own, which is injected what the imports of the module export', async () => {
    @Module({ providers: [{ provide: 'TOKEN', useValue: 'secret' }], exports: ['TOKEN'] })
    class TokenModule {}
    @Injectable()
    class TokenGuard implements CanActivate {
      constructor(@Inject('TOKEN') private readonly token: string) {}

      canActivate(context: ExecutionContext): boolean {
        const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
        return headers['x-token'] === this.token;
      }
    }
    const health = { decorators: [UseGuards(TokenGuard)] };
    const app = await apps.listen({ imports: [quick({ imports: [TokenModule], health })] }, createAdapter);
    await expect(statusOf(app, '/health/live')).resolves.toBe(403);
    const url = `${await app.getUrl()}/health/live`;
    const response = await fetch(url, { headers: { connection: 'close', 'x-token': 'secret' } });
    expect(response.status).toBe(200);
  });
});
