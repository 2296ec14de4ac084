import { spawnSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { prometheusName, PROMETHEUS_PREFIX } from '../../../lib/metrics/instrument.js';
import { INSTRUMENTS } from '../../../lib/metrics/instruments.js';
import { describeEngine, findBinary } from '../../fixtures/engines/engine-binaries.js';
import { EXPORTERS, metadataOf, parseExposition } from './exporters.js';
import { ScriptedApp } from './scripted-app.js';

const nameOf = (instrument: (typeof INSTRUMENTS)[number]) => PROMETHEUS_PREFIX + prometheusName(instrument);

async function scrapeOfALife(make: (typeof EXPORTERS)[number][1]) {
  const exporter = make();
  const app = new ScriptedApp(exporter.observer);
  await app.lives(exporter.scrape);
  const text = await exporter.scrape();
  return { ...exporter, app, text, series: parseExposition(text) };
}

/** Whatever the process was busy with meanwhile. */
const withoutEventLoop = (series: ReadonlyMap<string, number>) =>
  new Map([...series].filter(([key]) => !key.includes('event_loop')));

test('both exporters give the same series with the same values, types and texts', async () => {
  const [[, first], [, second]] = EXPORTERS as [(typeof EXPORTERS)[number], (typeof EXPORTERS)[number]];
  const [a, b] = [await scrapeOfALife(first), await scrapeOfALife(second)];

  expect(new Set(b.series.keys())).toEqual(new Set(a.series.keys()));
  expect(withoutEventLoop(b.series)).toEqual(withoutEventLoop(a.series));
  for (const what of ['TYPE', 'HELP'] as const) expect(metadataOf(b.text, what)).toEqual(metadataOf(a.text, what));
  for (const it of [a, b]) await it.observer.detach?.();
});

test('names are those of Prometheus: a unit at the end, _total on counters alone', () => {
  for (const { name, kind, unit } of INSTRUMENTS) {
    expect(name).toMatch(/^[a-z]+(?:[._][a-z]+)*$/);
    expect([name, name.endsWith('_seconds')]).toEqual([name, unit === 's']);
    expect([name, prometheusName({ name, kind }).endsWith('_total')]).toEqual([name, kind === 'counter']);
  }
  expect(new Set(INSTRUMENTS.map(nameOf)).size).toBe(INSTRUMENTS.length);
});

describe.each(EXPORTERS)('%s', (_, make) => {
  test.each([
    ['component_state{component="Feed",state="running"}', 1],
    ['component_state{component="Feed",state="failed"}', 0],
    ['component_state{component="Job",state="standby"}', 1],
    ['component_starts_total{component="Feed"}', 1],
    ['component_starts_total{component="Job"}', 2],
    ['component_failures_total{component="Feed"}', 0],
    ['component_failures_total{component="Job"}', 1],
    ['component_restarts_total{component="Job"}', 1],
    ['component_start_duration_seconds_sum{component="Feed"}', 0.03],
    ['component_start_duration_seconds_count{component="Job"}', 1],
    ['component_start_duration_seconds_bucket{component="Feed",le="0.01"}', 0],
    ['component_start_duration_seconds_bucket{component="Feed",le="0.05"}', 1],
    ['component_stop_duration_seconds_sum{component="Job"}', 0.25],
    ['component_healthy{component="Feed"}', 1],
    ['health_check_duration_seconds_sum{component="Feed"}', 0.004],
    ['probe_ok{probe="live"}', 1],
    ['probe_ok{probe="ready"}', 0],
    ['election_is_leader{election="default"}', 0],
    ['election_last_acquired_timestamp_seconds{election="default"}', 1_700_000_000],
    ['election_last_lost_timestamp_seconds{election="default"}', 1_700_000_060],
    ['election_transitions_total{election="default",transition="acquired"}', 1],
    ['election_transitions_total{cause="involuntary",election="default",transition="lost"}', 1],
    ['election_transitions_total{cause="voluntary",election="default",transition="lost"}', 0],
    ['election_term_duration_seconds_sum{election="default"}', 60],
    ['election_renew_duration_seconds_sum{election="default"}', 0.003],
    ['election_errors_total{election="default",kind="error",operation="renew"}', 1],
    ['election_errors_total{election="default",kind="refusal",operation="acquire"}', 1],
    ['election_deadline_remaining_seconds{election="default"}', 0],
    ['election_wedged{election="default"}', 0],
    ['leader_only_calls_total{election="default",method="Reports.nightly",outcome="ran"}', 2],
    ['leader_only_calls_total{election="default",method="Reports.nightly",outcome="skipped"}', 5],
    ['event_bus_depth', 3],
    ['event_bus_dropped_total', 1],
  ])('%s is %d after the script', async (key, value) => {
    const { series, observer } = await scrapeOfALife(make);
    expect(series.get(PROMETHEUS_PREFIX + key)).toBeCloseTo(value, 9);
    await observer.detach?.();
  });

  test('has every instrument that is written down, of its kind, and no other', async () => {
    const { text, observer } = await scrapeOfALife(make);
    const own = [...metadataOf(text, 'TYPE')].filter(([name]) => name.startsWith(PROMETHEUS_PREFIX));
    expect(new Map(own)).toEqual(new Map(INSTRUMENTS.map((it) => [nameOf(it), it.kind])));
    await observer.detach?.();
  });

  test('every series has labels of its instrument only', async () => {
    const { series, observer } = await scrapeOfALife(make);
    for (const instrument of INSTRUMENTS) {
      const name = nameOf(instrument);
      const own = [...series.keys()].filter(
        (it) => it.replace(/\{.*/, '').replace(/_(bucket|sum|count)$/, '') === name,
      );
      const labels = own.flatMap((it) => [...it.matchAll(/(\w+)="/g)].map(([, label]) => label));
      expect([name, new Set(labels.filter((it) => it !== 'le'))]).toEqual([name, new Set(instrument.labels)]);
    }
    await observer.detach?.();
  });

  test('reads leadership, deadline and wedge when it is scraped, and says 0 once they are over', async () => {
    const { observer, scrape } = make();
    const app = new ScriptedApp(observer);
    observer.attach?.(app);
    const read = async (name: string) =>
      parseExposition(await scrape()).get(`${PROMETHEUS_PREFIX}election_${name}{election="default"}`);
    expect(await read('is_leader')).toBe(0);
    expect(await read('deadline_remaining_seconds')).toBeUndefined();

    app.leading = { leading: true, remainingMs: 1500, wedged: 'hangs' };
    expect(await read('is_leader')).toBe(1);
    expect(await read('deadline_remaining_seconds')).toBe(1.5);
    expect(await read('wedged')).toBe(1);

    app.leading = { leading: false };
    expect(await read('is_leader')).toBe(0);
    expect(await read('deadline_remaining_seconds')).toBe(0);
    expect(await read('wedged')).toBe(0);
    await observer.detach?.();
  });

  test('a component that was unhealthy is not so any more once its run has ended', async () => {
    const { observer, scrape } = make();
    const app = new ScriptedApp(observer);
    observer.attach?.(app);
    const read = async () =>
      parseExposition(await scrape()).get(`${PROMETHEUS_PREFIX}component_healthy{component="Job"}`);
    app.moves('Job', 'running');
    expect(await read()).toBeUndefined();
    app.moves('Job', 'running', 0, { healthy: false });
    expect(await read()).toBe(0);
    app.moves('Job', 'standby');
    expect(await read()).toBe(1);
    await observer.detach?.();
  });

  test('names with quotes, backslashes and line ends stay one label', async () => {
    const { observer, scrape } = make();
    const app = new ScriptedApp(observer);
    observer.attach?.(app);
    const hostile = 'a"} 1\nevil_metric{x="\\';
    app.moves(hostile, 'starting');
    app.moves(hostile, 'running', 5, { healthy: true });
    observer.onHealthCheck?.({ name: hostile, healthy: true, durationMs: 1, timedOut: false });
    observer.onElectorReport?.('default', { kind: 'error', operation: hostile, error: 'x' });

    const series = parseExposition(await scrape());
    const escaped = 'a\\"} 1\\nevil_metric{x=\\"\\\\';
    expect(series.get(`${PROMETHEUS_PREFIX}component_starts_total{component="${escaped}"}`)).toBe(1);
    expect([...series.keys()].filter((it) => !it.startsWith(PROMETHEUS_PREFIX))).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
    await observer.detach?.();
  });

  test('names beyond a thousand share one, which has the sum', async () => {
    const { observer, scrape } = make();
    const app = new ScriptedApp(observer);
    observer.attach?.(app);
    for (let i = 0; i < 1005; i++) {
      observer.onElectorReport?.('default', { kind: 'error', operation: `request ${i}`, error: 'x' });
    }
    for (let i = 0; i < 1005; i++) {
      app.moves(`component ${i}`, 'starting');
      app.moves(`component ${i}`, 'running', 1, { restarts: 2, healthy: i !== 1002 });
    }
    const series = [...parseExposition(await scrape())];
    const of = (name: string) => series.filter(([key]) => key.startsWith(PROMETHEUS_PREFIX + name));
    const other = (name: string, more = '="other"') => of(name).find(([key]) => key.includes(more))?.[1];
    for (const name of ['election_errors_total', 'component_starts_total', 'component_healthy']) {
      expect(of(name)).toHaveLength(1001);
    }
    expect(other('election_errors_total')).toBe(5);
    expect(other('component_starts_total')).toBe(5);
    expect(other('component_restarts_total')).toBe(10);
    expect(other('component_healthy')).toBe(0);
    expect(other('component_start_duration_seconds_count')).toBe(5);
    await observer.detach?.();
  });

  test('two apps on one are a conflict, which names the way out and leaves the first as it is', async () => {
    const exporter = make();
    const second = exporter.another();
    const app = new ScriptedApp(exporter.observer);
    await app.lives();
    const before = withoutEventLoop(parseExposition(await exporter.scrape()));

    expect(() => second.attach?.(new ScriptedApp(second))).toThrow(
      expect.objectContaining({
        code: 'ERR_LIFECYCLE_METRICS_CONFLICT',
        message: expect.stringMatching(/own|attributes/),
      }),
    );
    await second.detach?.();
    expect(withoutEventLoop(parseExposition(await exporter.scrape()))).toEqual(before);

    await exporter.observer.detach?.();
    expect(() => second.attach?.(app)).not.toThrow();
    await second.detach?.();
  });

  test('one instance serves one app at a time', async () => {
    const { observer } = make();
    observer.attach?.(new ScriptedApp(observer));
    expect(() => observer.attach?.(new ScriptedApp(observer))).toThrow(/belongs to another app/);
    await observer.detach?.();
  });

  test('is deaf, and leaves no timer, before attach and after detach', async () => {
    const { observer, scrape, app } = await scrapeOfALife(make);
    await observer.detach?.();
    const after = await scrape();
    app.moves('Feed', 'failed');
    app.acquires();
    expect(withoutEventLoop(parseExposition(await scrape()))).toEqual(withoutEventLoop(parseExposition(after)));
    await observer.detach?.();

    const early = make().observer;
    expect(() => new ScriptedApp(early).moves('Feed', 'starting')).not.toThrow();
    expect(app.clock.pending).toBe(0);
  });
});

describeEngine('promtool', ['promtool'], () => {
  test.each(EXPORTERS)('finds nothing wrong with what %s exposes', async (_, make) => {
    const { text, observer } = await scrapeOfALife(make);
    await observer.detach?.();
    const run = spawnSync(findBinary('promtool') ?? '', ['check', 'metrics'], { input: text, encoding: 'utf8' });

    expect({ status: run.status, output: run.stdout + run.stderr }).toEqual({ status: 0, output: '' });
  });
});
