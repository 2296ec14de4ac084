import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  ImATeapotException,
  Inject,
  Injectable,
  Module,
  SetMetadata,
  UnauthorizedException,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import { HealthMonitor, LifecycleModule } from 'nestjs-lifecycle';
import { ManagementHost } from '../../lib/management/management-host.js';
import type { ManagementHandler } from '../../lib/management/management-handler.js';
import { handlerRoute } from '../../lib/management/handler-route.js';
import { RouteTable } from '../../lib/management/route-table.js';
import { systemClock } from '../../lib/core/clock.js';
import { Apps, RecordingLogger } from '../fixtures/apps.js';
import { ask, managementPort } from '../fixtures/management.js';

const apps = new Apps();
const TOKEN = 'TOKEN';

@Injectable()
class TokenGuard implements CanActivate {
  constructor(
    @Inject(TOKEN) private readonly token: string,
    @Inject(HealthMonitor) private readonly health: HealthMonitor,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { authorization } = context.switchToHttp().getRequest<{ headers: { authorization?: string } }>().headers;
    if (authorization === undefined) throw new UnauthorizedException();
    return this.health.startup().ok && authorization === `Bearer ${this.token}`;
  }
}

@Module({ providers: [{ provide: TOKEN, useValue: 'open sesame' }, TokenGuard], exports: [TokenGuard] })
class SecurityModule {}

class Page implements ManagementHandler {
  readonly path = 'lifecycle';
  readonly owner = 'the status page';
  readonly seen: (string | undefined)[] = [];

  constructor(readonly guards: NonNullable<ManagementHandler['guards']>) {}

  handle({ url }: IncomingMessage, response: ServerResponse): void {
    this.seen.push(url);
    if (url?.endsWith('/teapot')) throw new ImATeapotException();
    if (url?.endsWith('/broken')) throw new Error('secret');
    response.end('page');
  }
}

/** An app whose management server serves one page, as the module mounts one. */
async function boot(page: Page) {
  const logger = new RecordingLogger();
  @Injectable()
  class Mount {
    constructor(@Inject(ManagementHost) server: ManagementHost, @Inject(ModuleRef) moduleRef: ModuleRef) {
      const routes = async () => new RouteTable([await handlerRoute(page, moduleRef, systemClock)]);
      server.use({ port: 0, host: '127.0.0.1', logger, clock: systemClock, routes });
    }
  }
  const imports = [LifecycleModule.forRoot({ logger }), SecurityModule];
  const app = await apps.context({ imports, providers: [Mount] });
  return { logger, request: (path: string, headers = {}) => ask(managementPort(app), path, { headers }) };
}

it('keep a page and everything below it from everybody whom they do not let pass', async () => {
  const page = new Page([TokenGuard]);
  const { request } = await boot(page);
  for (const path of ['/lifecycle', '/lifecycle/', '/lifecycle/actions/restart?x', '/lifecycle/teapot']) {
    expect(await request(path)).toMatchObject({ status: 401, text: '{"message":"Unauthorized","statusCode":401}' });
    expect(await request(path, { authorization: 'Bearer guess' })).toMatchObject({
      status: 403,
      text: '{"message":"Forbidden resource","error":"Forbidden","statusCode":403}',
    });
  }
  expect(page.seen).toEqual([]);
  const allowed = { authorization: 'Bearer open sesame' };
  expect(await request('/lifecycle/status', allowed)).toMatchObject({ status: 200, text: 'page' });
  expect(page.seen).toEqual(['/lifecycle/status']);
});

it('that fail let nobody pass', async () => {
  const page = new Page([{ canActivate: () => Promise.reject(new Error('ldap://secret')) }]);
  const { logger, request } = await boot(page);
  expect(await request('/lifecycle')).toMatchObject({
    status: 500,
    text: '{"statusCode":500,"message":"Internal Server Error"}',
  });
  expect(page.seen).toEqual([]);
  expect(logger.warnings).toContain('The management server could not answer for /lifecycle: ldap://secret');
});

it('that cannot be made reject the boot', async () => {
  @Injectable()
  class Unresolvable implements CanActivate {
    constructor(@Inject('NOBODY PROVIDES IT') readonly missing: unknown) {}
    canActivate(): boolean {
      return true;
    }
  }
  await expect(boot(new Page([Unresolvable]))).rejects.toThrow('NOBODY PROVIDES IT');
});

it('are told what Nest tells them', async () => {
  let told: unknown;
  const page = new Page([
    {
      canActivate: (context: ExecutionContext) => {
        const { getRequest, getResponse } = context.switchToHttp();
        told = {
          type: context.getType(),
          class: context.getClass(),
          metadata: new Reflector().getAllAndOverride('roles', [context.getHandler(), context.getClass()]),
          args: context.getArgs().slice(0, 2),
          first: context.getArgByIndex(0),
          request: getRequest<{ url: string }>().url,
          response: getResponse(),
        };
        return true;
      },
    },
  ]);
  SetMetadata('roles', ['admin'])(Page);
  const { request } = await boot(page);
  expect((await request('/lifecycle')).status).toBe(200);
  expect(told).toMatchObject({ type: 'http', class: Page, metadata: ['admin'], request: '/lifecycle' });
  const { args, first, response } = told as { args: unknown[]; first: unknown; response: unknown };
  expect(args[0]).toBe(first);
  expect(args[1]).toBe(response);
});

it('do not hide what the page itself answers', async () => {
  const { logger, request } = await boot(new Page([]));
  expect((await request('/lifecycle/teapot')).status).toBe(418);
  expect(await request('/lifecycle/broken')).toMatchObject({ status: 500 });
  expect(logger.warnings.at(-1)).toContain('secret');
});
