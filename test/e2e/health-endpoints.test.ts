import type { AddressInfo } from 'node:net';
import {
  Controller,
  Get,
  Inject,
  Module,
  SetMetadata,
  UnauthorizedException,
  VersioningType,
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
} from '@nestjs/common';
import { NestFactory, Reflector } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { StallError } from '../../lib/core/errors.js';
import { HealthMonitor } from '../../lib/health/health-monitor.js';
import type { ElectionSnapshot } from '../../lib/leadership/election-snapshot.js';
import { createHealthController, type HealthControllerOptions } from '../../lib/terminus/health.controller.js';
import { LifecycleHealthIndicator } from '../../lib/terminus/lifecycle-health.indicator.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { FakeRegistry } from '../fixtures/fake-registry.js';

declare const NEST_MAJOR: 11 | 12;

const adapters = [
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
] as const;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

describe.each(adapters)('health endpoints on %s', (_, createAdapter) => {
  let app: INestApplication | undefined;
  let registry: FakeRegistry;
  let monitor: HealthMonitor;
  let elections: ElectionSnapshot[];

  beforeEach(() => {
    registry = new FakeRegistry();
    elections = [];
    const leadership = { elections: () => elections };
    monitor = new HealthMonitor({ registry, leadership, clock: new ManualClock(), intervalMs: 1000, timeoutMs: 1000 });
    monitor.markStarted();
  });

  afterEach(() => app?.close());

  async function boot(
    options: Partial<HealthControllerOptions> & { own?: unknown } = {},
    configure: (app: INestApplication) => void = () => undefined,
  ): Promise<void> {
    const { own, ...rest } = options;
    const controller = own ?? createHealthController({ path: 'health', ...rest });
    @Module({
      imports: [TerminusModule.forRoot({ logger: false })],
      controllers: [controller as new () => object],
      providers: [{ provide: HealthMonitor, useValue: monitor }, LifecycleHealthIndicator],
    })
    class HealthModule {}
    app = await NestFactory.create(HealthModule, createAdapter(), { logger: false });
    configure(app);
    await app.listen(0, '127.0.0.1');
  }

  async function get(path: string) {
    if (app === undefined) throw new Error('boot first');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: parse(text),
    };
  }

  it('answer 200 while everything is well, and are never cached', async () => {
    registry.set('feed');
    elections.push({ election: 'default', leading: true, fencingToken: 7n });
    await boot();
    expect(await get('/health')).toMatchObject({
      status: 200,
      body: {
        status: 'ok',
        details: {
          'component:feed': { status: 'up' },
          'leadership:default': { status: 'up', role: 'leader', fencingToken: '7' },
        },
      },
    });
    for (const probe of ['live', 'ready', 'startup']) {
      expect(await get(`/health/${probe}`)).toMatchObject({ status: 200, body: { status: 'ok' } });
    }
    for (const path of ['/health', '/health/live', '/health/ready', '/health/startup']) {
      expect((await get(path)).headers.get('cache-control')).toContain('no-store');
    }
  });

  it('answer 503 with what is down beside what is up', async () => {
    registry.set('feed', { info: { status: 'failed', error: 'boom' }, failedForGood: true, error: new Error('boom') });
    registry.set('api');
    await boot();
    expect(await get('/health')).toMatchObject({
      status: 503,
      body: {
        status: 'error',
        info: { 'component:api': { status: 'up' } },
        error: { 'component:feed': { status: 'down', note: 'failed: boom' } },
      },
    });
    expect(await get('/health/live')).toMatchObject({
      status: 503,
      body: { status: 'error', reasons: ['component "feed" has failed for good: boom'] },
    });
    expect(await get('/health/ready')).toMatchObject({
      status: 503,
      body: { status: 'error', reasons: ['component "feed" is failed: boom'] },
    });
    expect(await get('/health/startup')).toMatchObject({ status: 200 });
    for (const path of ['/health', '/health/live', '/health/ready']) {
      expect((await get(path)).headers.get('cache-control')).toContain('no-store');
    }
  });

  it('turn with the components', async () => {
    registry.set('feed', { info: { healthy: false }, healthError: new StallError('feed', 'no activity', 1) });
    await boot();
    expect((await get('/health')).status).toBe(503);
    expect((await get('/health/live')).status).toBe(503);
    registry.set('feed', { info: { healthy: true } });
    expect((await get('/health')).status).toBe(200);
    expect((await get('/health/live')).status).toBe(200);
  });

  it('answer 200 for what is degraded, and say so', async () => {
    registry.set('cache', {
      info: { status: 'failed', error: 'boom', criticality: 'degradable' },
      failedForGood: true,
    });
    elections.push({ election: 'default', leading: false, error: new Error('ECONNREFUSED') });
    await boot();
    const { status, body } = await get('/health');
    const level = NEST_MAJOR === 11 ? 'up' : 'degraded';
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        status: NEST_MAJOR === 11 ? 'ok' : 'degraded',
        details: {
          'component:cache': { status: level, note: expect.stringContaining('failed: boom') },
          'leadership:default': { status: level, note: expect.stringContaining('ECONNREFUSED') },
        },
      },
    });
    expect((await get('/health/ready')).status).toBe(200);
  });

  it('show names and errors as they are, whatever they are', async () => {
    const names = ['__proto__', 'constructor', 'status', 'details', 'a "b" \n', 'ünï 🙂'];
    for (const name of names)
      registry.set(name, { info: { healthy: false, criticality: 'optional' }, healthError: '"\n\u2028\ud800' });
    await boot();
    const { status, text } = await get('/health');
    expect(status).toBe(200);
    const { details } = JSON.parse(text) as { details: Record<string, object> };
    expect(Object.keys(details)).toEqual(names.map((name) => `component:${name}`));
    for (const entry of Object.values(details))
      expect(entry).toMatchObject({ status: 'up', note: expect.stringMatching(/^unhealthy: "/) });
  });

  it('answer 503 at /startup and /ready until the first start has finished', async () => {
    monitor = new HealthMonitor({ registry, clock: new ManualClock(), intervalMs: 1000, timeoutMs: 1000 });
    await boot();
    expect((await get('/health/startup')).status).toBe(503);
    expect((await get('/health/ready')).status).toBe(503);
    expect((await get('/health/live')).status).toBe(200);
    monitor.markStarted();
    expect((await get('/health/startup')).status).toBe(200);
    expect((await get('/health/ready')).status).toBe(200);
  });

  it('stay live while Terminus answers 503 to everything because the app shuts down', async () => {
    registry.set('feed');
    await boot();
    monitor.markStopping();
    const seen: Record<string, number> = {};
    // What Nest calls once Terminus knows of the shutdown, and the server still serves.
    const adapter = app?.getHttpAdapter() as { close(): unknown };
    const close = adapter.close.bind(adapter);
    adapter.close = async () => {
      for (const path of ['/health', '/health/live', '/health/ready']) seen[path] = (await get(path)).status;
      await close();
    };
    await app?.close();
    app = undefined;
    expect(seen).toEqual({ '/health': 503, '/health/live': 200, '/health/ready': 503 });
  });

  it('are version-neutral', async () => {
    await boot({}, (it) => it.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' }));
    expect((await get('/health')).status).toBe(200);
    expect((await get('/health/live')).status).toBe(200);
  });

  it('move with path and global prefix', async () => {
    await boot({ path: '/internal/health/' }, (it) => it.setGlobalPrefix('api'));
    expect((await get('/api/internal/health')).status).toBe(200);
    expect((await get('/api/internal/health/ready')).status).toBe(200);
    expect((await get('/internal/health')).status).toBe(404);
  });

  it.each(['class and handler', 'handler only'])('pass a global guard that reads metadata of %s', async (from) => {
    const guard: CanActivate = {
      canActivate(context: ExecutionContext) {
        const places = from === 'handler only' ? [context.getHandler()] : [context.getHandler(), context.getClass()];
        if (new Reflector().getAllAndOverride<boolean>('isPublic', places)) return true;
        throw new UnauthorizedException();
      },
    };
    await boot({ decorators: [SetMetadata('isPublic', true)] }, (it) => it.useGlobalGuards(guard));
    for (const path of ['/health', '/health/live', '/health/ready', '/health/startup']) {
      expect((await get(path)).status).toBe(200);
    }
  });

  it('do not pass a global guard by themselves', async () => {
    const guard: CanActivate = { canActivate: () => false };
    await boot({}, (it) => it.useGlobalGuards(guard));
    expect((await get('/health/live')).status).toBe(403);
  });

  it("leave room for a controller of one's own", async () => {
    @Controller('status')
    class OwnController {
      constructor(
        @Inject(HealthCheckService) private readonly health: HealthCheckService,
        @Inject(LifecycleHealthIndicator) private readonly lifecycle: LifecycleHealthIndicator,
      ) {}

      @Get()
      @HealthCheck()
      check(): unknown {
        return this.health.check([() => this.lifecycle.isHealthy(), () => ({ database: { status: 'up' } })]);
      }
    }
    registry.set('feed', { info: { status: 'failed', error: 'boom' } });
    await boot({ own: OwnController });
    expect(await get('/status')).toMatchObject({
      status: 503,
      body: { details: { 'component:feed': { status: 'down' }, database: { status: 'up' } } },
    });
  });
});
