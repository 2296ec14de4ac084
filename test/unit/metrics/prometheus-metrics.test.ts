import { describe, expect, test } from '@jest/globals';
import { PrometheusMetrics } from 'nestjs-lifecycle/metrics/prometheus';
import { Gauge, register as globalRegister, Registry, type OpenMetricsContentType } from 'prom-client';
import { INSTRUMENTS } from '../../../lib/metrics/instruments.js';
import { parseExposition } from './exporters.js';
import { ScriptedApp } from './scripted-app.js';

describe('PrometheusMetrics', () => {
  test('registers with the global register of prom-client unless told otherwise, and only while the app runs', () => {
    const metrics = new PrometheusMetrics();
    expect(globalRegister.getMetricsAsArray()).toEqual([]);
    metrics.attach(new ScriptedApp(metrics));
    expect(globalRegister.getMetricsAsArray()).toHaveLength(INSTRUMENTS.length);
    metrics.detach();
    expect(globalRegister.getMetricsAsArray()).toEqual([]);
  });

  test('leaves the global register and what others have in its own alone', async () => {
    const register = new Registry();
    register.registerMetric(new Gauge({ name: 'mine', help: 'x', registers: [] }));
    const metrics = new PrometheusMetrics({ register });
    metrics.attach(new ScriptedApp(metrics));
    expect(globalRegister.getMetricsAsArray()).toEqual([]);
    expect((await metrics.pages[0]?.render())?.body).toContain('\nmine 0');
    metrics.detach();
    expect(register.getMetricsAsArray().map((it) => it.name)).toEqual(['mine']);
  });

  test('two apps share a register under prefixes of their own', async () => {
    const register = new Registry();
    const both = ['orders_', 'mails_'].map((prefix) => new PrometheusMetrics({ register, prefix }));
    for (const metrics of both) metrics.attach(new ScriptedApp(metrics));

    const series = parseExposition(await register.metrics());
    expect(series.get('orders_election_is_leader{election="default"}')).toBe(0);
    expect(series.get('mails_election_is_leader{election="default"}')).toBe(0);
    for (const metrics of both) metrics.detach();
  });

  test('gives its labels to every series', async () => {
    const register = new Registry();
    const metrics = new PrometheusMetrics({ register, labels: { service: 'orders' } });
    const app = new ScriptedApp(metrics);
    await app.lives();
    const series = [...parseExposition(await register.metrics()).keys()];
    expect(series.filter((it) => !it.includes('service="orders"'))).toEqual([]);
    metrics.detach();
  });

  test('serves the format that the register is set to', async () => {
    const register = new Registry<OpenMetricsContentType>();
    register.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    const metrics = new PrometheusMetrics({ register });
    const app = new ScriptedApp(metrics);
    await app.lives();
    for (let scrape = 0; scrape < 2; scrape++) {
      const page = await metrics.pages[0]?.render();
      expect(page?.contentType).toMatch(/^application\/openmetrics-text/);
      expect(page?.body).toMatch(/^nestjs_lifecycle_component_starts_total\{component="Feed"\} 1$/m);
      expect(page?.body.endsWith('# EOF\n')).toBe(true);
    }
    metrics.detach();
    expect(register.getMetricsAsArray()).toEqual([]);
  });

  test.each([
    [{ prefix: '1x' }, /"prefix" in PrometheusMetrics/],
    [{ prefix: 'a-b' }, /"prefix"/],
    [{ labels: { component: 'x' } }, /"labels.component".*other than/],
    [{ labels: { le: 'x' } }, /"labels.le"/],
    [{ labels: { __x: 'x' } }, /"labels.__x"/],
    [{ labels: { 'a b': 'x' } }, /"labels.a b"/],
    [{ labels: { a: 1 } }, /"labels.a"/],
    [{ labels: [] }, /"labels"/],
    [{ register: {} }, /"register"/],
    [{ registry: 1 }, /no such option/],
    [null, /"options"/],
  ])('refuses %j', (options, message) => {
    expect(() => new PrometheusMetrics(options as object)).toThrow(message);
  });
});
