import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { Module, type INestApplication } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  HealthMonitor,
  LifecycleComponent,
  LifecycleModule,
  Registry,
  StallError,
  untilAborted,
  type Elector,
  type LifecycleComponentOptions,
  type LifecycleModuleOptions,
  type StartContext,
} from 'nestjs-lifecycle';
import { ManualElector } from 'nestjs-lifecycle/testing';
import { page, tableUnder } from './pages.js';

interface Scenario {
  readonly component?: LifecycleComponentOptions;
  readonly module?: LifecycleModuleOptions;
  readonly start?: (context: StartContext) => Promise<void>;
  readonly healthCheck?: () => void;
  /** Brought about once the app has booted. */
  readonly then?: (app: INestApplication) => Promise<unknown>;
}

const run = ({ signal }: StartContext): Promise<void> => untilAborted(signal);
const fail = () => Promise.reject(new Error('broken'));
const hang = () => new Promise<void>(() => undefined);
const throwing = (error: Error) => () => {
  throw error;
};

/** An elector whose engine cannot be reached. */
const unreachable: Elector = {
  async campaign(_election, candidate, signal) {
    candidate.onReport({ kind: 'error', operation: 'acquire', error: new Error('connection refused') });
    await untilAborted(signal);
  },
};

/** An elector that promises to be heard of all the time, and is not. */
const hanging: Elector = { reportsWithinMs: 1, campaign: (_election, _candidate, signal) => untilAborted(signal) };

/** By the label of the row. */
const SCENARIOS: Record<string, Scenario> = {
  'all run, or stand by': { component: { leaderOnly: true }, module: { elector: new ManualElector() }, start: run },
  'critical component failed for good': { start: fail },
  'critical component failed, to be restarted': {
    start: fail,
    component: { restart: { mode: 'on-failure', initialDelayMs: 60_000 } },
  },
  'critical component stalled, as its `HealthTracker` says': {
    start: run,
    healthCheck: throwing(new StallError('feed', 'no activity', 1)),
  },
  'critical component unhealthy for another reason': { start: run, healthCheck: throwing(new Error('queue is full')) },
  'critical **leader-only** component failed for good': { component: { leaderOnly: true }, start: fail },
  '`degradable` component failed or unhealthy': { component: { criticality: 'degradable' }, start: fail },
  '`optional` component failed or unhealthy': { component: { criticality: 'optional' }, start: fail },
  'the elector reports errors': { start: run, module: { elector: unreachable } },
  "the elector's loop hangs": {
    start: run,
    module: { elector: hanging },
    then: (app) => until(async () => !app.get(HealthMonitor).live().ok),
  },
  'critical component told to stop, and not settled in time': {
    start: hang,
    component: { stopTimeoutMs: 20 },
    then: (app) =>
      app
        .get(Registry)
        .stopAll()
        .catch(() => undefined),
  },
  'critical component still starting for the first time': {
    start: hang,
    component: { startTimeoutMs: 60_000 },
    module: { awaitStart: false },
  },
  'shutdown has begun, and nothing is stopped yet': {
    start: run,
    module: { drainDelayMs: 1000 },
    then: async (app) => void app.close(),
  },
};

describe('the health table of the README', () => {
  let app: INestApplication | undefined;

  afterEach(() => app?.close());

  const rows = tableUnder(page('README.md'), 'Health').rows;

  it('has the scenarios that are tried here', () => {
    expect(rows.map(([label]) => label)).toEqual(Object.keys(SCENARIOS));
  });

  it.each(rows.map((row) => [row[0] ?? '', row.slice(1)] as const))('%s', async (label, cells) => {
    const scenario = SCENARIOS[label] ?? {};
    app = await boot(scenario);
    await until(() => settled(app!, scenario));
    await scenario.then?.(app);

    const answers = await Promise.all(['/health', '/health/ready', '/health/live'].map((path) => ask(app!, path)));

    expect(answers.map(({ status }) => status)).toEqual(cells.map((cell) => Number(cell.slice(0, 3))));
    expect(JSON.stringify(answers[0]?.body).includes('"degraded"')).toBe(cells[0]?.includes('degraded') === true);
    if (cells[0]?.includes('note')) expect(JSON.stringify(answers[0]?.body.info)).toContain('"note"');
  });
});

async function boot(scenario: Scenario): Promise<INestApplication> {
  const { start = run, healthCheck, component, module } = scenario;

  @LifecycleComponent({ name: 'subject', ...component })
  class Subject {
    start(context: StartContext): Promise<void> {
      return start(context);
    }
  }
  // Service style where it is to be seen starting: a run-style component whose start hangs is running.
  const stop = component?.startTimeoutMs === undefined ? {} : { stop: () => undefined };
  const subject = {
    provide: Subject,
    useFactory: () => Object.assign(new Subject(), stop, healthCheck && { healthCheck }),
  };

  const limits = { failFast: false, shutdownTimeoutMs: 50, ...module };
  @Module({ imports: [LifecycleModule.forRoot(limits)], providers: [subject] })
  class AppModule {}

  const app = await NestFactory.create(AppModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  return app;
}

/** Whether what the scenario is about has come about. */
async function settled(app: INestApplication, { start, component, healthCheck }: Scenario): Promise<boolean> {
  await app.get(HealthMonitor).refresh();
  const { status, healthy } = app.get(Registry).status().subject ?? {};
  if (start === fail) return status === 'failed';
  if (healthCheck !== undefined) return healthy === false;
  if (component?.startTimeoutMs !== undefined) return status === 'starting';
  return status === 'running' || status === 'standby';
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

async function ask(app: INestApplication, path: string): Promise<{ status: number; body: { info?: object } }> {
  const { port } = app.getHttpServer().address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, body: (await response.json()) as { info?: object } };
}
