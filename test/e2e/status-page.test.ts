import { connect, type AddressInfo } from 'node:net';
import {
  ForbiddenException,
  Injectable,
  UnauthorizedException,
  VersioningType,
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
} from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import {
  LifecycleComponent,
  LifecycleModule,
  Registry,
  type LifecycleRootOptions,
  type StartContext,
  type StatusDocument,
  type StatusPageOptions,
} from 'nestjs-lifecycle';
import { ManualElector } from 'nestjs-lifecycle/testing';
import { ADAPTERS, Apps, RecordingLogger } from '../fixtures/apps.js';
import { aborted, until } from '../fixtures/until.js';

const HOSTILE = ['<script>alert(1)</script>', '</script><img src=x onerror=alert(1)>', '__proto__', '\u202egnirts'];

@LifecycleComponent()
class Feed {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }
}

const hostile = HOSTILE.map((name) => {
  @LifecycleComponent({ name, criticality: 'optional' })
  class Hostile {
    start(): Promise<void> {
      return Promise.reject(new Error(`${name} ${'x'.repeat(10_000)}`));
    }
  }
  return { provide: name, useFactory: () => new Hostile() };
});

@Injectable()
class TokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    if (headers['authorization'] === undefined) throw new UnauthorizedException();
    return headers['authorization'] === 'Bearer secret';
  }
}

const SIGNED_IN = { authorization: 'Bearer secret' };
const ACTION = { ...SIGNED_IN, 'content-type': 'application/json', 'x-lifecycle-action': '1' };
const PATHS = ['', '/status', '/events'];
const ACTIONS = ['/actions/step-down', '/actions/restart'];

describe.each(ADAPTERS)('the status page on %s', (_name, createAdapter) => {
  const apps = new Apps();

  const create = (statusPage: StatusPageOptions | undefined, options: LifecycleRootOptions = {}) =>
    apps.create(
      {
        imports: [
          EventEmitterModule.forRoot(),
          LifecycleModule.forRoot({ logger: new RecordingLogger(), ...options, ...(statusPage && { statusPage }) }),
        ],
        providers: [Feed, ...hostile],
      },
      createAdapter,
    );
  const listen = async (statusPage: StatusPageOptions | undefined, options?: LifecycleRootOptions) => {
    const app = await create(statusPage, options);
    await app.listen(0, '127.0.0.1');
    return app;
  };
  const portOf = (app: INestApplication) => (app.getHttpServer().address() as AddressInfo).port;
  const ask = (app: INestApplication, path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${portOf(app)}/lifecycle${path}`, {
      ...init,
      headers: { connection: 'close', ...(init.headers as Record<string, string>) },
    });
  const post = (app: INestApplication, path: string, body: object, headers: Record<string, string> = ACTION) =>
    ask(app, path, { method: 'POST', body: JSON.stringify(body), headers });

  it('is off by default', async () => {
    const app = await listen(undefined);
    for (const path of PATHS) expect((await ask(app, path)).status).toBe(404);
  });

  it('serves page, JSON and events without a guard, offers no actions, and warns', async () => {
    const logger = new RecordingLogger();
    const app = await listen({}, { logger });
    expect(logger.warnings.filter((it) => it.includes('status page has no guard'))).toHaveLength(1);
    const page = await ask(app, '');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toMatch(/^<!doctype html>/);
    const status = await ask(app, '/status');
    expect(status.headers.get('cache-control')).toContain('no-store');
    expect(await status.json()).toMatchObject({ version: 1, actions: false });
    for (const path of ACTIONS) expect((await post(app, path, { component: 'Feed' })).status).toBe(404);
  });

  it('answers nothing that its guards do not let through', async () => {
    const app = await listen({ guards: [TokenGuard], actions: true });
    const { authorization: _, ...unsigned } = ACTION;
    for (const [headers, refused] of [
      [unsigned, 401],
      [{ ...ACTION, authorization: 'Bearer other' }, 403],
    ] as const) {
      const answers = [
        ...(await Promise.all(PATHS.map((path) => ask(app, path, { headers })))),
        ...(await Promise.all(ACTIONS.map((path) => post(app, path, { component: 'Feed' }, headers)))),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(refused);
        expect(await answer.text()).not.toMatch(/Feed|doctype|event:/);
      }
    }
    expect(app.get(Registry).status()['Feed']).toMatchObject({ status: 'running', restarts: 0 });
    for (const path of PATHS.slice(0, 2)) expect((await ask(app, path, { headers: SIGNED_IN })).status).toBe(200);
  });

  it('asks all guards, in order, instances as well', async () => {
    const asked: string[] = [];
    const guard = (name: string, answer: () => boolean): CanActivate => ({
      canActivate: () => {
        asked.push(name);
        return answer();
      },
    });
    const refuses = guard('second', () => {
      throw new ForbiddenException();
    });
    const app = await listen({ guards: [guard('first', () => true), refuses, guard('third', () => true)] });
    expect((await ask(app, '/status')).status).toBe(403);
    expect(asked).toEqual(['first', 'second']);
  });

  it('restarts a component and steps down, and refuses both to another site', async () => {
    const elector = new ManualElector();
    const app = await listen({ guards: [TokenGuard], actions: true }, { elector, elections: ['default'] });
    await elector.elect();
    const foreign = { ...ACTION, 'sec-fetch-site': 'cross-site' };
    const { 'x-lifecycle-action': _left, ...plain } = ACTION;
    for (const headers of [foreign, plain, { ...ACTION, origin: 'http://evil.example' }]) {
      expect((await post(app, '/actions/restart', { component: 'Feed' }, headers)).status).toBe(403);
      expect((await post(app, '/actions/step-down', { election: 'default' }, headers)).status).toBe(403);
    }
    expect(app.get(Registry).status()['Feed']).toMatchObject({ restarts: 0 });
    expect((await post(app, '/actions/restart', { component: 'Feed' })).status).toBe(202);
    await until(() => app.get(Registry).status()['Feed']?.restarts === 1);
    expect((await post(app, '/actions/restart', { component: 'none' })).status).toBe(404);
    expect((await post(app, '/actions/restart', {})).status).toBe(400);
    expect((await post(app, '/actions/step-down', { election: 'default' })).status).toBe(202);
    await until(async () => {
      const status = (await (await ask(app, '/status', { headers: SIGNED_IN })).json()) as StatusDocument;
      return status.elections[0]?.leading === false;
    });
  });

  it('streams what happens, and lets the app close', async () => {
    const app = await listen({});
    const response = await ask(app, '/events');
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    let text = '';
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk as Uint8Array).toString('utf8');
    })();
    await until(() => text.includes('event: status\n'));
    app.get(Registry).restart('Feed');
    await until(() => text.includes('"to":"stopping"'));
    await apps.close(app);
    await reading;
    expect(text).toContain('"phase":"shutdown","state":"ended"');
    expect(text).toMatch(/event: end\ndata: \{\}\n\n$/);
  });

  it('forgets a client that is gone', async () => {
    const app = await listen({});
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connect(portOf(app), '127.0.0.1');
        socket.write('GET /lifecycle/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
        await new Promise((resolve) => void socket.once('data', resolve));
        return socket;
      }),
    );
    expect((await ask(app, '/events')).status).toBe(503);
    for (const socket of sockets) socket.destroy();
    await until(async () => {
      const abort = new AbortController();
      const { status } = await ask(app, '/events', { signal: abort.signal });
      abort.abort();
      return status === 200;
    });
  });

  it('shows hostile names and error texts as they are, cut to size', async () => {
    const app = await listen({});
    const body = (await (await ask(app, '/status')).json()) as StatusDocument;
    const names = body.components.map((it) => it.name);
    expect(names).toEqual(expect.arrayContaining(HOSTILE));
    for (const it of body.components) expect((it.error ?? '').length).toBeLessThanOrEqual(1000);
    expect(({} as Record<string, unknown>)['status']).toBeUndefined();
    const page = await (await ask(app, '')).text();
    for (const name of HOSTILE.filter((it) => it.includes('<'))) expect(page).not.toContain(name);
  });

  it('is where a global prefix puts it, whatever the version', async () => {
    const app = await create({});
    app.setGlobalPrefix('api');
    app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
    await app.listen(0, '127.0.0.1');
    const status = async (path: string) => (await fetch(`http://127.0.0.1:${portOf(app)}${path}`)).status;
    expect(await status('/api/lifecycle')).toBe(200);
    expect(await status('/api/lifecycle/status')).toBe(200);
    expect(await status('/lifecycle')).toBe(404);
  });

  it('has its options beside the factory of forRootAsync()', async () => {
    const app = await apps.listen(
      {
        imports: [
          EventEmitterModule.forRoot(),
          LifecycleModule.forRootAsync({
            statusPage: { path: 'ops/page', guards: [TokenGuard] },
            useFactory: () => ({ logger: new RecordingLogger() }),
          }),
        ],
      },
      createAdapter,
    );
    const status = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${portOf(app)}/ops/page/status`, { headers });
    expect((await status({})).status).toBe(401);
    expect((await status(SIGNED_IN)).status).toBe(200);
  });
});

describe('the option', () => {
  const apps = new Apps();

  it('is refused in what the factory returns, which comes too late', async () => {
    const root = {
      imports: [EventEmitterModule.forRoot(), LifecycleModule.forRootAsync({ useFactory: () => ({ statusPage: {} }) })],
    };
    await expect(apps.listen(root)).rejects.toThrow('beside the factory');
  });
});

it('has no actions without a guard', () => {
  expect(() => LifecycleModule.forRoot({ statusPage: { actions: true } })).toThrow(/statusPage\.actions/);
  expect(() =>
    LifecycleModule.forRootAsync({ useFactory: () => ({}), statusPage: { actions: true, guards: [] } }),
  ).toThrow(/statusPage\.actions/);
});
