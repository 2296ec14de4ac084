import type { AddressInfo } from 'node:net';
import {
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  Param,
  Post,
  Scope,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
  type OnModuleInit,
} from '@nestjs/common';
import { LazyModuleLoader, NestFactory } from '@nestjs/core';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { Test } from '@nestjs/testing';
import {
  Leadership,
  LeaderOnly,
  LeaderOnlyCalls,
  leaderTerm,
  LifecycleModule,
  type LifecycleRootOptions,
} from 'nestjs-lifecycle';
import { ManualElector } from 'nestjs-lifecycle/testing';
import { of, type Observable } from 'rxjs';
import { ADAPTERS, Apps, RecordingLogger, rootModule, type AppModule } from '../fixtures/apps.js';
import { gate, until } from '../fixtures/until.js';

const apps = new Apps();

const lifecycle = (options: LifecycleRootOptions = {}) =>
  LifecycleModule.forRoot({ logger: new RecordingLogger(), ...options });

@Injectable()
class Reports {
  readonly ran: unknown[] = [];

  @LeaderOnly('reports')
  async nightly(day = 'today'): Promise<string> {
    this.ran.push(day);
    await Promise.resolve();
    return `${day} by term ${leaderTerm().fencingToken}`;
  }
}

/** An app on a manual elector, so that the test decides who leads. */
async function appOf(root: AppModule, elector = new ManualElector()) {
  @Module({ imports: [lifecycle({ elector, health: { endpoints: false } }), rootModule(root)] })
  class Root {}
  const app = await apps.context(Root);
  const countOf = (method: string) =>
    app
      .get(LeaderOnlyCalls)
      .counts()
      .find((it) => it.method === method);
  return { app, elector, countOf };
}

describe('a provider with a marked method', () => {
  it('runs it on the leader and skips it elsewhere, and stands for the election that it names', async () => {
    const { app, elector, countOf } = await appOf({ providers: [Reports] });
    const reports = app.get(Reports);
    expect(app.get(Leadership).elections()).toMatchObject([{ election: 'reports' }]);
    expect(await reports.nightly()).toBeUndefined();
    await elector.elect('reports');
    expect(await reports.nightly('monday')).toBe('monday by term 1');
    await elector.depose('gone', 'reports');
    expect(await reports.nightly()).toBeUndefined();
    expect(reports.ran).toEqual(['monday']);
    expect(countOf('Reports.nightly')).toEqual({ method: 'Reports.nightly', election: 'reports', ran: 1, skipped: 2 });
  });

  it('leads at once without an elector, in a test for example', async () => {
    const module = await Test.createTestingModule({ imports: [lifecycle()], providers: [Reports] }).compile();
    await module.init();
    expect(await module.get(Reports).nightly('monday')).toMatch(/^monday by term/);
    await module.close();
    expect(await module.get(Reports).nightly('tuesday')).toBeUndefined();
  });

  it('knows the leadership of its own app, also beside another app of the same class', async () => {
    const first = await appOf({ providers: [Reports] });
    const second = await appOf({ providers: [Reports] });
    await second.elector.elect('reports');
    expect(await first.app.get(Reports).nightly()).toBeUndefined();
    expect(await second.app.get(Reports).nightly()).toContain('by term');
    expect([first.countOf('Reports.nightly')?.ran, second.countOf('Reports.nightly')?.ran]).toEqual([0, 1]);
  });

  it('may be what a factory makes, a value, a subclass, an alias, or transient', async () => {
    class Derived extends Reports {}
    @Injectable({ scope: Scope.TRANSIENT })
    class Transient extends Reports {}
    const { app, elector } = await appOf({
      providers: [
        { provide: 'factory', useFactory: () => Promise.resolve(new Reports()) },
        { provide: 'value', useValue: new Reports() },
        { provide: 'class', useClass: Derived },
        { provide: 'alias', useExisting: 'factory' },
        Transient,
      ],
    });
    const all: Reports[] = ['factory', 'value', 'class', 'alias'].map((it) => app.get<Reports>(it));
    all.push(await app.resolve(Transient));
    expect(await Promise.all(all.map((it) => it.nightly()))).toEqual(all.map(() => undefined));
    await elector.elect('reports');
    expect(await Promise.all(all.map((it) => it.nightly('x')))).toEqual(all.map(() => 'x by term 1'));
  });

  it('may be what the elector and the options are made of', async () => {
    @Injectable()
    class Settings {
      @LeaderOnly()
      publish(): string {
        return 'published';
      }
    }
    @Module({ providers: [Settings], exports: [Settings] })
    class SettingsModule {}
    const elector = new ManualElector();
    const app = await apps.context({
      imports: [
        LifecycleModule.forRootAsync({
          imports: [SettingsModule],
          inject: [Settings],
          useFactory: () => ({ logger: new RecordingLogger() }),
          elector: { inject: [Settings], useFactory: () => elector },
          isGlobal: false,
        }),
      ],
    });
    expect(app.get(Settings, { strict: false }).publish()).toBeUndefined();
    await elector.elect();
    expect(app.get(Settings, { strict: false }).publish()).toBe('published');
  });

  it('may be loaded after the boot: its election is stood for from the first call on', async () => {
    const { app, elector } = await appOf({});
    @Module({ providers: [Reports] })
    class LateModule {}
    const late = await app.get(LazyModuleLoader).load(() => LateModule);
    const reports = late.get(Reports);
    expect(await reports.nightly()).toBeUndefined();
    await elector.elect('reports');
    expect(await reports.nightly('x')).toBe('x by term 1');
  });

  it('may call it in its own hooks, and other providers in theirs: it is skipped', async () => {
    const results: unknown[] = [];
    @Injectable()
    class Eager extends Reports implements OnModuleInit {
      async onModuleInit(): Promise<void> {
        results.push(await this.nightly());
      }
    }
    @Injectable()
    class User implements OnModuleInit {
      constructor(@Inject('value') private readonly value: Reports) {}
      async onModuleInit(): Promise<void> {
        results.push(await this.value.nightly());
      }
    }
    const { countOf } = await appOf({ providers: [Eager, { provide: 'value', useValue: new Reports() }, User] });
    expect(results).toEqual([undefined, undefined]);
    expect(countOf('Reports.nightly')).toMatchObject({ skipped: 2 });
  });

  it('is told what is missing, when it calls it in its constructor or where no app is', async () => {
    @Injectable()
    class Hasty {
      constructor() {
        this.run();
      }
      @LeaderOnly()
      run(): void {
        // Never.
      }
    }
    await expect(appOf({ providers: [Hasty] })).rejects.toThrow(/Hasty\.run\(\) .* constructors are too early/);

    const app = await apps.context({ providers: [Reports] });
    expect(() => app.get(Reports).nightly()).toThrow(/Import LifecycleModule\.forRoot\(\)/);
  });

  it('cannot be one value for two apps', async () => {
    const shared = new Reports();
    const first = await appOf({ providers: [{ provide: Reports, useValue: shared }] });
    const second = appOf({ providers: [{ provide: Reports, useValue: shared }] });
    await expect(second).rejects.toThrow(/One Reports is provided in two apps/);
    await apps.close(first.app);
    await appOf({ providers: [{ provide: Reports, useValue: shared }] });
  });

  it('boots with a snapshot of the dependency graph', async () => {
    const app = await NestFactory.createApplicationContext(
      rootModule({ imports: [lifecycle()], providers: [Reports] }),
      { logger: false, abortOnError: false, snapshot: true },
    );
    expect(await app.get(Reports).nightly('x')).toMatch(/^x by term/);
    await app.close();
  });
});

describe('shutdown', () => {
  it('waits for a call that is under way, before it closes anything that the call may use', async () => {
    const entered = gate();
    const journal: string[] = [];
    @Injectable()
    class Database {
      onModuleDestroy(): void {
        journal.push('database closes');
      }
    }
    @Injectable()
    class Job {
      constructor(@Inject(Database) readonly database: Database) {}
      @LeaderOnly()
      async run(): Promise<void> {
        const { signal } = leaderTerm();
        entered.open();
        await until(() => signal.aborted);
        await new Promise((resolve) => setTimeout(resolve, 20));
        journal.push('job is over');
      }
    }
    const { app, elector } = await appOf({ providers: [Database, Job] });
    await elector.elect();
    const call = app.get(Job).run();
    await entered.promise;
    await apps.close(app);
    await call;
    expect(journal).toEqual(['job is over', 'database closes']);
  });

  it('does not wait longer than the app has for it', async () => {
    const logger = new RecordingLogger();
    @Injectable()
    class Job {
      @LeaderOnly()
      run(): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    const app = await apps.context({
      imports: [lifecycle({ logger, stopTimeoutMs: 20, shutdownTimeoutMs: 100 })],
      providers: [Job],
    });
    void app.get(Job).run();
    await apps.close(app);
    expect(logger.errors).toContainEqual(expect.stringMatching(/^Job\.run\(\) has not settled 20 ms after the term/));
  });
});

describe('a listener of @OnEvent()', () => {
  it('runs on the leader only, over and under', async () => {
    const heard: string[] = [];
    @Injectable()
    class Listener {
      @LeaderOnly()
      @OnEvent('order')
      over(id: number): void {
        heard.push(`over ${id} in term ${leaderTerm().fencingToken}`);
      }
      @OnEvent('order')
      @LeaderOnly()
      async under(id: number): Promise<void> {
        await Promise.resolve();
        heard.push(`under ${id} in term ${leaderTerm().fencingToken}`);
      }
    }
    const { app, elector, countOf } = await appOf({ imports: [EventEmitterModule.forRoot()], providers: [Listener] });
    const emitter = app.get(EventEmitter2);
    await emitter.emitAsync('order', 1);
    await elector.elect();
    await emitter.emitAsync('order', 2);
    expect(heard.toSorted()).toEqual(['over 2 in term 1', 'under 2 in term 1']);
    expect(countOf('Listener.over')).toMatchObject({ ran: 1, skipped: 1 });
    expect(countOf('Listener.under')).toMatchObject({ ran: 1, skipped: 1 });
  });
});

describe.each(ADAPTERS)('a handler on %s', (_, createAdapter) => {
  class Refuse implements CanActivate {
    canActivate(context: ExecutionContext): boolean {
      const request = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
      return request.headers['x-user'] !== 'stranger';
    }
  }
  const intercepted: string[] = [];
  class Watch {
    intercept(_context: unknown, next: { handle(): never }): never {
      intercepted.push('one');
      return next.handle();
    }
  }

  @Controller('orders')
  @UseGuards(Refuse)
  class OrdersController {
    @LeaderOnly({ retryAfterMs: 2500 })
    @Get(':id')
    @UseInterceptors(Watch)
    over(@Param('id') id: string): object {
      return { id, term: String(leaderTerm().fencingToken) };
    }

    @Post()
    @LeaderOnly()
    async under(): Promise<object> {
      await Promise.resolve();
      return { term: String(leaderTerm().fencingToken) };
    }

    @Get()
    everywhere(): object {
      return { open: true };
    }
  }

  @Controller({ path: 'scoped', scope: Scope.REQUEST })
  class ScopedController {
    @Get()
    @LeaderOnly()
    get(): object {
      return { term: String(leaderTerm().fencingToken) };
    }
  }

  const call = async (app: INestApplication, path: string, init: RequestInit = {}) => {
    const { port } = app.getHttpServer().address() as AddressInfo;
    const headers = { connection: 'close', ...(init.headers as object) };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const boot = async (elector: ManualElector, isGlobal = true) =>
    apps.listen(
      { imports: [lifecycle({ elector, isGlobal })], controllers: [OrdersController, ScopedController] },
      createAdapter,
    );

  it('answers 503 on a follower, with Retry-After and what is known of the leader', async () => {
    const elector = new ManualElector();
    const app = await boot(elector);
    const unknown = await call(app, '/orders/7');
    expect(unknown.status).toBe(503);
    expect(unknown.headers.get('retry-after')).toBe('3');
    expect(unknown.headers.get('leader-address')).toBeNull();
    const message = 'This replica does not lead election "default"';
    const body = { statusCode: 503, error: 'Service Unavailable', message, election: 'default' };
    expect(unknown.body).toEqual(body);

    elector.observe({ identity: 'other', since: 0, address: 'http://10.0.0.7:3000' });
    const known = await call(app, '/orders', { method: 'POST' });
    expect(known.status).toBe(503);
    expect([known.headers.get('retry-after'), known.headers.get('leader-address')]).toEqual([
      '1',
      'http://10.0.0.7:3000',
    ]);
    expect(known.body).toEqual({ ...body, leader: 'http://10.0.0.7:3000' });
    expect(intercepted).toEqual([]);
    expect((await call(app, '/orders')).body).toEqual({ open: true });
    const counts = app.get(LeaderOnlyCalls).counts();
    expect(counts.filter((it) => it.skipped > 0)).toMatchObject([{ skipped: 1 }, { skipped: 1 }]);
  });

  it('never lets an odd address break the answer', async () => {
    const elector = new ManualElector();
    const app = await boot(elector);
    elector.observe({ identity: 'other', since: 0, address: 'http://a\r\nSet-Cookie: x' });
    const answer = await call(app, '/orders/7');
    expect([answer.status, answer.headers.get('leader-address'), answer.headers.get('set-cookie')]).toEqual([
      503,
      null,
      null,
    ]);
  });

  it('runs on the leader, under the term, also per request', async () => {
    const elector = new ManualElector();
    const app = await boot(elector, false);
    expect((await call(app, '/scoped')).status).toBe(503);
    await elector.elect();
    expect(await call(app, '/orders/7')).toMatchObject({ status: 200, body: { id: '7', term: '1' } });
    expect(await call(app, '/orders', { method: 'POST' })).toMatchObject({ status: 201, body: { term: '1' } });
    expect(await call(app, '/scoped')).toMatchObject({ status: 200, body: { term: '1' } });
    intercepted.length = 0;
  });

  it('gives a stream of answers as it is', async () => {
    const elector = new ManualElector();
    @Controller()
    class StreamController {
      @Get('stream')
      @LeaderOnly()
      stream(): Observable<object> {
        return of({ term: String(leaderTerm().fencingToken) });
      }
    }
    const root = { imports: [lifecycle({ elector })], controllers: [StreamController] };
    const app = await apps.listen(root, createAdapter);
    await elector.elect();
    expect(await call(app, '/stream')).toMatchObject({ status: 200, body: { term: '1' } });
  });

  it('leaves it to other guards to refuse first', async () => {
    const app = await boot(new ManualElector());
    expect((await call(app, '/orders/7', { headers: { 'x-user': 'stranger' } })).status).toBe(403);
  });

  it('answers 503 also when the term ends between its guard and itself', async () => {
    const elector = new ManualElector();
    class Depose {
      async intercept(_context: unknown, next: { handle(): never }): Promise<never> {
        await elector.depose();
        return next.handle();
      }
    }
    @Controller()
    class LateController {
      @Get('late')
      @LeaderOnly()
      @UseInterceptors(Depose)
      late(): object {
        return { ran: true };
      }
    }
    const app = await apps.listen({ imports: [lifecycle({ elector })], controllers: [LateController] }, createAdapter);
    await elector.elect();
    const answer = await call(app, '/late');
    expect(answer).toMatchObject({ status: 503, body: { election: 'default' } });
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  it('of an app without the module is told that it is missing', async () => {
    const app = await apps.listen({ controllers: [OrdersController] }, createAdapter);
    expect((await call(app, '/orders/7')).status).toBe(500);
    expect(app.get(OrdersController)).toBeDefined();
  });
});
