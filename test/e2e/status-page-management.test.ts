import { Injectable, UnauthorizedException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import {
  Leadership,
  LifecycleComponent,
  LifecycleModule,
  Registry,
  type StartContext,
  type StatusDocument,
} from 'nestjs-lifecycle';
import { ManualElector } from 'nestjs-lifecycle/testing';
import { Apps, RecordingLogger } from '../fixtures/apps.js';
import { managementPort } from '../fixtures/management.js';
import { aborted, until } from '../fixtures/until.js';

@LifecycleComponent()
class Feed {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }
}

@Injectable()
class TokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    if (headers['authorization'] === undefined) throw new UnauthorizedException();
    return headers['authorization'] === 'Bearer secret';
  }
}

const SIGNED_IN = { authorization: 'Bearer secret' };
const ACTION = { 'content-type': 'application/json', 'x-lifecycle-action': '1' };

describe('the status page of a worker, on its management port', () => {
  const apps = new Apps();

  async function boot() {
    const elector = new ManualElector();
    const app = await apps.context({
      imports: [
        LifecycleModule.forRoot({
          logger: new RecordingLogger(),
          elector,
          elections: ['default'],
          health: { port: 0, host: '127.0.0.1' },
          statusPage: { guards: [TokenGuard], actions: true },
        }),
      ],
      providers: [Feed],
    });
    await elector.elect();
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${managementPort(app)}/lifecycle${path}`, {
        ...init,
        headers: { connection: 'close', ...(init.headers as Record<string, string>) },
      });
    const act = (path: string, body: object, headers: Record<string, string>) =>
      ask(`/actions/${path}`, { method: 'POST', body: JSON.stringify(body), headers: { ...ACTION, ...headers } });
    return { app, ask, act };
  }

  it('answers and does nothing that its guard does not let through, while the probes answer everybody', async () => {
    const { app, ask, act } = await boot();
    const strangers: [Record<string, string>, number][] = [
      [{}, 401],
      [{ authorization: 'Bearer other' }, 403],
    ];
    for (const [headers, refused] of strangers) {
      const answers = await Promise.all([
        ...['', '/', '/status', '/events'].map((path) => ask(path, { headers })),
        act('restart', { component: 'Feed' }, headers),
        act('step-down', { election: 'default' }, headers),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => refused));
      for (const answer of answers) expect(await answer.text()).not.toMatch(/Feed|doctype|event:/);
    }

    expect(app.get(Registry).status()['Feed']).toMatchObject({ status: 'running', restarts: 0 });
    expect(app.get(Leadership).isLeader()).toBe(true);
    expect((await fetch(`http://127.0.0.1:${managementPort(app)}/health/live`)).status).toBe(200);
  });

  it('does what those may who are let through, and not for another site', async () => {
    const { app, ask, act } = await boot();
    const page = await ask('', { headers: SIGNED_IN });
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const foreign = { ...SIGNED_IN, origin: 'http://evil.example' };
    expect((await act('restart', { component: 'Feed' }, foreign)).status).toBe(403);

    expect((await act('restart', { component: 'Feed' }, SIGNED_IN)).status).toBe(202);
    await until(() => app.get(Registry).status()['Feed']?.restarts === 1);
    expect((await act('step-down', { election: 'default' }, SIGNED_IN)).status).toBe(202);
    await until(async () => {
      const status = (await (await ask('/status', { headers: SIGNED_IN })).json()) as StatusDocument;
      return status.elections[0]?.leading === false;
    });
  });
});
