import { metrics as api } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { afterEach, describe, expect, test } from '@jest/globals';
import { OpenTelemetryMetrics } from 'nestjs-lifecycle/metrics/opentelemetry';
import { ScriptedApp } from './scripted-app.js';

const NEVER_MS = 2 ** 31 - 1;

function setUp(temporality = AggregationTemporality.CUMULATIVE) {
  const exporter = new InMemoryMetricExporter(temporality);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: NEVER_MS });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const collect = async () => {
    exporter.reset();
    await meterProvider.forceFlush();
    return exporter.getMetrics().flatMap((it) => it.scopeMetrics.flatMap(({ scope, metrics }) => ({ scope, metrics })));
  };
  const points = async (name: string) =>
    (await collect()).flatMap(({ metrics }) => metrics).find((it) => it.descriptor.name === name)?.dataPoints ?? [];
  return { meterProvider, collect, points, shutdown: () => meterProvider.shutdown() };
}

const IS_LEADER = 'nestjs.lifecycle.election.is_leader';
const STARTS = 'nestjs.lifecycle.component.starts';

afterEach(() => api.disable());

describe('OpenTelemetryMetrics', () => {
  test('names by the conventions of OpenTelemetry, in a scope of its own, with unit and buckets', async () => {
    const { meterProvider, collect, shutdown } = setUp();
    const metrics = new OpenTelemetryMetrics({ meterProvider });
    await new ScriptedApp(metrics).lives();
    const [found] = await collect();

    expect(found?.scope.name).toBe('nestjs-lifecycle');
    expect(found?.metrics.filter((it) => !/^nestjs\.lifecycle(\.[a-z_]+){2}$/.test(it.descriptor.name))).toEqual([]);
    const renewals = found?.metrics.find((it) => it.descriptor.name.endsWith('renew_duration_seconds'));
    expect(renewals?.descriptor.unit).toBe('s');
    expect(renewals?.dataPoints[0]?.value).toMatchObject({ buckets: { boundaries: expect.arrayContaining([1.5]) } });
    metrics.detach();
    await shutdown();
  });

  test('uses the provider that is registered globally', async () => {
    const { meterProvider, points, shutdown } = setUp();
    api.setGlobalMeterProvider(meterProvider);
    const metrics = new OpenTelemetryMetrics();
    metrics.attach(new ScriptedApp(metrics));
    expect(await points(IS_LEADER)).toMatchObject([{ value: 0, attributes: { election: 'default' } }]);
    metrics.detach();
    await shutdown();
  });

  test('says once that nothing is recorded where no provider is registered', () => {
    const metrics = new OpenTelemetryMetrics();
    const app = new ScriptedApp(metrics);
    metrics.attach(app);
    app.moves('Feed', 'starting');
    metrics.detach();
    expect(app.warnings).toEqual([expect.stringContaining('no MeterProvider is registered')]);
  });

  test('gives differences to a reader that wants them', async () => {
    const { meterProvider, points, shutdown } = setUp(AggregationTemporality.DELTA);
    const metrics = new OpenTelemetryMetrics({ meterProvider });
    const app = new ScriptedApp(metrics);
    metrics.attach(app);
    app.moves('Feed', 'starting');
    expect(await points(STARTS)).toMatchObject([{ value: 1 }]);
    app.moves('Feed', 'starting');
    app.moves('Feed', 'starting');
    expect(await points(STARTS)).toMatchObject([{ value: 2 }]);
    metrics.detach();
    await shutdown();
  });

  test('an app that has ended does not lead for ever in what a reader keeps', async () => {
    const { meterProvider, points, shutdown } = setUp();
    const metrics = new OpenTelemetryMetrics({ meterProvider });
    const app = new ScriptedApp(metrics);
    metrics.attach(app);
    app.acquires();
    expect(await points(IS_LEADER)).toMatchObject([{ value: 1 }]);
    app.loses(1000, true);
    metrics.detach();

    expect(await points(IS_LEADER)).toMatchObject([{ value: 0 }]);
    app.leading = { leading: true };
    expect(await points(IS_LEADER)).toMatchObject([{ value: 0 }]);
    await shutdown();
  });

  test('two apps share a provider under attributes of their own, given in whichever order', async () => {
    const { meterProvider, points, shutdown } = setUp();
    const make = (attributes: Record<string, string>) => new OpenTelemetryMetrics({ meterProvider, attributes });
    const [orders, mails, again] = [
      make({ app: 'orders', x: '1' }),
      make({ app: 'mails' }),
      make({ x: '1', app: 'orders' }),
    ];
    orders.attach(new ScriptedApp(orders));
    mails.attach(new ScriptedApp(mails));
    expect(() => again.attach(new ScriptedApp(again))).toThrow('Another app of this process');

    expect((await points(IS_LEADER)).map((it) => it.attributes.app)).toEqual(['orders', 'mails']);
    for (const metrics of [orders, mails]) metrics.detach();
    await shutdown();
  });

  test.each([
    [{ attributes: { election: 'x' } }, /"attributes.election".*other than/],
    [{ attributes: { app: 1 } }, /"attributes.app"/],
    [{ attributes: null }, /"attributes"/],
    [{ meterProvider: {} }, /"meterProvider"/],
    [{ provider: 1 }, /no such option/],
  ])('refuses %j', (options, message) => {
    expect(() => new OpenTelemetryMetrics(options as object)).toThrow(message);
  });
});
