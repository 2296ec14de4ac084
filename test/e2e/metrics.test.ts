import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import {
  LeaderOnly,
  LifecycleComponent,
  LifecycleModule,
  ElectionTerm,
  type Candidate,
  type Elector,
  type LifecycleObserver,
  type LifecycleRootOptions,
  type StartContext,
} from 'nestjs-lifecycle';
import { MemoryElectionHub, MemoryElector } from 'nestjs-lifecycle/electors/memory';
import { OpenTelemetryMetrics } from 'nestjs-lifecycle/metrics/opentelemetry';
import { PrometheusMetrics } from 'nestjs-lifecycle/metrics/prometheus';
import { ManualElector } from 'nestjs-lifecycle/testing';
import { Registry } from 'prom-client';
import { Apps, RecordingLogger } from '../fixtures/apps.js';
import { aborted, until } from '../fixtures/until.js';
import { parseExposition } from '../unit/metrics/exporters.js';

const apps = new Apps();

@LifecycleComponent()
class Feed {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }

  healthCheck(): void {
    // Healthy.
  }
}

@LifecycleComponent(true)
class Job {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }

  @LeaderOnly()
  async report(): Promise<void> {
    // Counted.
  }
}

const logger = () => new RecordingLogger();
const context = (options: LifecycleRootOptions) =>
  apps.context({ imports: [LifecycleModule.forRoot({ logger: logger(), ...options })], providers: [Feed, Job] });

interface Scraped {
  readonly observer: LifecycleObserver;
  read(series: string): Promise<number | undefined>;
}

const reading = (observer: LifecycleObserver, scrape: () => Promise<string>): Scraped => ({
  observer,
  read: async (series) => parseExposition(await scrape()).get(`nestjs_lifecycle_${series}`),
});

function prometheus(): Scraped {
  const register = new Registry();
  return reading(new PrometheusMetrics({ register }), () => register.metrics());
}

function openTelemetry(): Scraped {
  const exporter = new PrometheusExporter({ preventServerStart: true, withoutScopeInfo: true });
  const meterProvider = new MeterProvider({ readers: [exporter] });
  const scrape = () =>
    new Promise<string>((resolve) => {
      const response = { setHeader: () => undefined, end: resolve, statusCode: 0 };
      exporter.getMetricsRequestHandler({} as never, response as never);
    });
  return reading(new OpenTelemetryMetrics({ meterProvider }), scrape);
}

const IS_LEADER = 'election_is_leader{election="default"}';

/** A term whose deadline passes while no timer can fire. */
class LapsingTerm extends ElectionTerm {
  lapsed = false;

  get remainingMs(): number {
    return this.lapsed ? -1 : 1000;
  }

  override isValid(): boolean {
    return !this.lapsed && super.isValid();
  }
}

class LapsingElector implements Elector {
  term: LapsingTerm | undefined;

  async campaign(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    this.term ??= new LapsingTerm({ election, identity: candidate.identity, fencingToken: 1n });
    void candidate.onElected(this.term);
    await aborted(signal);
    this.term.end('told to');
  }
}

describe.each([
  ['PrometheusMetrics', prometheus],
  ['OpenTelemetryMetrics', openTelemetry],
])('%s', (_, make) => {
  it('tells of components, calls, health and a hand-over of a real app', async () => {
    const { observer, read } = make();
    const elector = new ManualElector();
    const app = await context({ observers: [observer], elector });
    expect(await read('component_state{component="Feed",state="running"}')).toBe(1);
    expect(await read('component_state{component="Job",state="standby"}')).toBe(1);
    expect(await read('component_starts_total{component="Job"}')).toBe(0);
    expect(await read(IS_LEADER)).toBe(0);
    await app.get(Job).report();

    await elector.elect();
    await until(async () => (await read('component_state{component="Job",state="running"}')) === 1);
    await app.get(Job).report();
    expect(await read(IS_LEADER)).toBe(1);
    await until(async () => (await read('health_check_duration_seconds_count{component="Feed"}')) === 1);
    await elector.depose();

    expect(await read(IS_LEADER)).toBe(0);
    expect(await read('election_transitions_total{cause="involuntary",election="default",transition="lost"}')).toBe(1);
    expect(await read('election_term_duration_seconds_count{election="default"}')).toBe(1);
    expect(await read('component_stop_duration_seconds_count{component="Job"}')).toBe(1);
    const calls = (outcome: string) =>
      read(`leader_only_calls_total{election="default",method="Job.report",outcome="${outcome}"}`);
    expect([await calls('ran'), await calls('skipped')]).toEqual([1, 1]);
    expect(await read('probe_ok{probe="ready"}')).toBe(1);
    await apps.close(app);
    expect((await read(IS_LEADER)) ?? 0).toBe(0);
  });

  it('says 0 the instant the deadline has passed, although nothing has fired since', async () => {
    const { observer, read } = make();
    const elector = new LapsingElector();
    await context({ observers: [observer], elector });
    await until(async () => (await read(IS_LEADER)) === 1);
    expect(await read('election_deadline_remaining_seconds{election="default"}')).toBe(1);

    if (elector.term !== undefined) elector.term.lapsed = true;
    expect(await read(IS_LEADER)).toBe(0);
    expect(await read('election_deadline_remaining_seconds{election="default"}')).toBe(0);
    // To ask is what found it, and the loss is counted.
    expect(await read('election_transitions_total{cause="involuntary",election="default",transition="lost"}')).toBe(1);
  });

  it('one replica leads and the other one says that it does not', async () => {
    const hub = new MemoryElectionHub();
    const replicas = [make(), make()];
    for (const { observer } of replicas) await context({ observers: [observer], elector: new MemoryElector(hub) });
    const leaders = () => Promise.all(replicas.map(({ read }) => read(IS_LEADER)));
    await until(async () => (await leaders()).includes(1));
    expect(new Set(await leaders())).toEqual(new Set([0, 1]));
  });
});

it('a blocked event loop shows in its delay', async () => {
  const { observer, read } = prometheus();
  const app = await context({ observers: [observer] });
  const tick = () => new Promise((resolve) => setTimeout(resolve, 60));
  await tick();
  const until300 = performance.now() + 300;
  while (performance.now() < until300);
  await tick();
  expect(await read('event_loop_delay_seconds{stat="max"}')).toBeGreaterThan(0.25);
  expect(await read('event_loop_delay_seconds{stat="p50"}')).toBeLessThan(0.25);
  await apps.close(app);
});

it('a second app on the register warns, with the remedy, and runs without metrics', async () => {
  const register = new Registry();
  await context({ observers: [new PrometheusMetrics({ register })] });
  const log = logger();
  const second = await context({ observers: [new PrometheusMetrics({ register })], logger: log });
  expect(log.warnings).toEqual([
    expect.stringMatching(/attach\(\) of observer PrometheusMetrics.*a register of its own/),
  ]);
  await apps.close(second);
  expect(register.getSingleMetric('nestjs_lifecycle_election_is_leader')).toBeDefined();
});
