import { afterEach, beforeEach, jest } from '@jest/globals';
import { ConsoleLogger, Logger } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import {
  LifecycleComponent,
  LifecycleModule,
  type LifecycleRootOptions,
  type LogLine,
  type StartContext,
} from 'nestjs-lifecycle';
import { ManualElector } from 'nestjs-lifecycle/testing';
import { Apps } from '../fixtures/apps.js';
import { aborted, until } from '../fixtures/until.js';

const apps = new Apps();

@LifecycleComponent()
class Feed {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }
}

@LifecycleComponent({ leaderOnly: true, election: 'orders' })
class Job {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }
}

@LifecycleComponent({ name: 'Hostile\n{"level":"log"}', criticality: 'optional' })
class Hostile {
  start(): void {
    throw Object.assign(new TypeError('no\n{"forged":true}'), { code: 'EHOSTILE', self: 7n });
  }

  stop(): void {
    // Never started.
  }
}

interface Printed {
  readonly level: string;
  readonly context: string;
  readonly message: LogLine;
  readonly stack?: string;
}

const written: string[] = [];

beforeEach(() => {
  written.length = 0;
  for (const stream of [process.stdout, process.stderr]) {
    jest.spyOn(stream, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
  }
});

afterEach(() => {
  jest.restoreAllMocks();
  Logger.overrideLogger(false);
});

/** The printed lines of the library. Every line that was printed must be JSON. */
function printed(): Printed[] {
  const lines = written
    .join('')
    .split('\n')
    .filter((it) => it !== '');
  return lines.map((it) => JSON.parse(it) as Printed).filter((it) => it.context === 'Lifecycle');
}

async function create(logger: ConsoleLogger, options: LifecycleRootOptions = {}, ...providers: (new () => object)[]) {
  const root = { imports: [EventEmitterModule.forRoot(), LifecycleModule.forRoot(options)], providers };
  return apps.create(root, undefined, { logger });
}

/** Boot, a term that is lost, one that is handed over, shutdown. */
async function live(logger: ConsoleLogger, options: LifecycleRootOptions = {}): Promise<void> {
  const elector = new ManualElector();
  const app = await create(logger, { elector, identity: 'pod-1', ...options }, Feed, Job, Hostile);
  await app.listen(0, '127.0.0.1');
  for (const running of [1, 2]) {
    await elector.elect('orders');
    await until(() => written.filter((it) => it.includes('Job is running')).length === running);
    if (running === 1) await elector.depose('lease expired', 'orders');
  }
  await apps.close(app);
}

const of = (event: string) => printed().filter((it) => it.message.event === event);

it('are fields for the JSON logger of Nest, through the whole life of an app', async () => {
  await live(new ConsoleLogger({ json: true }));

  const lines = printed();
  expect(lines.length).toBeGreaterThan(10);
  for (const { message } of lines) {
    expect(message).toEqual(expect.objectContaining({ message: expect.any(String), event: expect.any(String) }));
  }
  const [ready] = of('lifecycle.component.status').filter((it) => it.message['to'] === 'running');
  expect(ready).toMatchObject({ level: 'log', message: { component: 'Feed', durationMs: expect.any(Number) } });
  expect(
    of('lifecycle.leadership.acquired').map((it) => [it.level, it.message.election, it.message.fencingToken]),
  ).toEqual([
    ['log', 'orders', '1'],
    ['log', 'orders', '2'],
  ]);
  const [lost, handedOver] = of('lifecycle.leadership.lost');
  expect(lost).toMatchObject({
    level: 'warn',
    message: { fencingToken: '1', voluntary: false, durationMs: expect.any(Number) },
  });
  expect(lost?.message.error?.message).toContain('lease expired');
  expect(handedOver).toMatchObject({ level: 'log', message: { fencingToken: '2', voluntary: true } });
  expect(handedOver?.message).not.toHaveProperty('error');
});

it('of a failure have its error and its stack, and no name or text breaks a line', async () => {
  await live(new ConsoleLogger({ json: true }));

  const [failed] = of('lifecycle.component.status').filter((it) => it.message['to'] === 'failed');
  expect(failed).toMatchObject({
    level: 'error',
    message: {
      component: 'Hostile\n{"level":"log"}',
      criticality: 'optional',
      error: { name: 'TypeError', message: 'no\n{"forged":true}', code: 'EHOSTILE' },
    },
    stack: expect.stringContaining('TypeError: no'),
  });
  expect(failed?.message.message).not.toContain('\n');
});

it('are text for the JSON logger too where that was asked for', async () => {
  await live(new ConsoleLogger({ json: true }), { logFormat: 'text' });

  expect(printed().every((it) => typeof it.message === 'string')).toBe(true);
});

it('are text for the plain logger of Nest, none of them forged', async () => {
  await live(new ConsoleLogger({ colors: false }));

  const lines = written.join('').split('\n');
  expect(
    lines.some((it) => it.endsWith('[Lifecycle] Feed is running (ready after 0 ms)') || /Feed is running/.test(it)),
  ).toBe(true);
  expect(lines.filter((it) => it.startsWith('{'))).toEqual([]);
});

it('turn into fields when the app sets a JSON logger late', async () => {
  const app = await create(new ConsoleLogger({ colors: false }), {}, Feed);
  app.useLogger(new ConsoleLogger({ json: true }));
  written.length = 0;
  await app.init();
  await apps.close(app);

  expect(of('lifecycle.component.status').length).toBeGreaterThan(0);
});

it('are fields for any logger that was given, where that was asked for', async () => {
  const lines: unknown[] = [];
  const note = (line: unknown) => void lines.push(line);
  const logger = { log: note, warn: note, error: note };
  const app = await create(new ConsoleLogger({ logLevels: [] }), { logger, logFormat: 'fields' }, Feed);
  await app.init();
  await apps.close(app);

  expect(lines).toContainEqual(expect.objectContaining({ event: 'lifecycle.component.status', component: 'Feed' }));
});

it('refuses a format that there is none of', () => {
  expect(() => LifecycleModule.forRoot({ logFormat: 'json' as 'text' })).toThrow(/logFormat.*'fields'/s);
});
