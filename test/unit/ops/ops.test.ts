import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { prometheusName, PROMETHEUS_PREFIX } from '../../../lib/metrics/instrument.js';
import { INSTRUMENTS } from '../../../lib/metrics/instruments.js';
import { describeEngine, findBinary } from '../../fixtures/engines/engine-binaries.js';

const OPS = fileURLToPath(new URL('../../../ops', import.meta.url));
const textOf = (file: string) => readFileSync(join(OPS, file), 'utf8');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface AlertTest {
  readonly name: string;
  readonly promql_expr_test: readonly {
    readonly expr: string;
    readonly exp_samples: readonly { readonly labels: string }[];
  }[];
}

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const alerts = (parse(textOf('alerts.yml')) as { groups: { rules: Alert[] }[] }).groups.flatMap((it) => it.rules);
const { tests } = parse(textOf('alerts.test.yml')) as { tests: AlertTest[] };
const { panels, templating } = JSON.parse(textOf('dashboard.json')) as {
  panels: Panel[];
  templating: { list: { name: string; definition?: string }[] };
};

/** Names of series, with the labels that each has. */
const known = new Map(
  INSTRUMENTS.flatMap((it) => {
    const name = PROMETHEUS_PREFIX + prometheusName(it);
    const names = it.kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];
    return names.map((series) => [series, new Set([...it.labels, 'le', 'job', 'instance', 'namespace'])] as const);
  }),
);

/** `name{selectors}` in an expression. */
const selectorsIn = (expr: string) =>
  [...expr.matchAll(/(nestjs_lifecycle_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', inner = '']) => ({
    name,
    labels: [...inner.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }));

const expressions = [
  ...alerts.map((it) => [it.alert, it.expr] as const),
  ...panels.flatMap((it) => (it.targets ?? []).map(({ expr }) => [it.title, expr] as const)),
  ...templating.list.map((it) => [it.name, it.definition ?? ''] as const),
  ...tests.flatMap((it) => it.promql_expr_test.map(({ expr }) => [it.name, expr] as const)),
];

test('expressions, rules and tests name only metrics and labels that there are', () => {
  const names = ['alerts.yml', 'alerts.test.yml', 'dashboard.json'].flatMap((file) => selectorsIn(textOf(file)));
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter(({ name }) => !known.has(name)).map(({ name }) => name)).toEqual([]);

  for (const [where, expr] of expressions) {
    for (const { name, labels } of selectorsIn(expr)) {
      expect([where, name, labels.filter((it) => known.get(name)?.has(it) !== true)]).toEqual([where, name, []]);
    }
  }
});

describe('alerts', () => {
  test.each(alerts.map((it) => [it.alert, it] as const))('%s says what it means and what to do', (name, alert) => {
    expect(name).toMatch(/^Lifecycle[A-Z]/);
    expect(['critical', 'warning']).toContain(alert.labels.severity);
    for (const annotation of ['summary', 'description', 'action']) {
      expect(alert.annotations[annotation]?.length).toBeGreaterThan(20);
    }
  });

  test.each(alerts.map((it) => [it.alert, it] as const))(
    '%s is tested: quiet at first, firing with the labels that its texts use, and clearing',
    (name, { annotations }) => {
      const [found, ...more] = tests.filter((it) => it.name === name);
      expect(more).toEqual([]);
      const checks = found?.promql_expr_test ?? [];
      expect([...new Set(checks.map((it) => it.expr))]).toEqual([`ALERTS{alertname="${name}",alertstate="firing"}`]);
      const firing = checks.map((it) => it.exp_samples.length > 0);
      expect([firing[0], firing.includes(true), firing.at(-1)]).toEqual([false, true, false]);

      const labels = checks.flatMap((it) => it.exp_samples).flatMap((it) => labelsOf(it.labels));
      const used = Object.values(annotations).flatMap((it) => [...it.matchAll(/\$labels\.(\w+)/g)].map(([, x]) => x));
      expect(used.filter((it) => !labels.includes(it ?? ''))).toEqual([]);
    },
  );

  const labelsOf = (series: string) => [...series.matchAll(/(\w+)="/g)].map(([, label = '']) => label);

  test('no test is left over', () => {
    expect(tests.map((it) => it.name).toSorted()).toEqual(alerts.map((it) => it.alert).toSorted());
  });
});

const charts = panels.filter((it) => it.type !== 'row');

describe('the dashboard', () => {
  test('shows every metric', () => {
    const shown = new Set(
      charts.flatMap((it) => it.targets ?? []).flatMap(({ expr }) => selectorsIn(expr).map((it) => it.name)),
    );
    const missing = INSTRUMENTS.map((it) => PROMETHEUS_PREFIX + prometheusName(it)).filter(
      (name) => !shown.has(name) && !shown.has(`${name}_bucket`),
    );
    expect(missing).toEqual([]);
  });

  test('narrows every expression by its variables, and uses no variable that it has not', () => {
    const variables = new Set([...templating.list.map((it) => it.name), '__rate_interval']);
    for (const { title, targets = [] } of charts) {
      expect([title, targets.length > 0]).toEqual([title, true]);
      for (const { expr } of targets) {
        const used = [...expr.matchAll(/\$(\w+)/g)].map(([, name = '']) => name);
        expect([title, used.filter((it) => !variables.has(it))]).toEqual([title, []]);
        expect([title, used]).toEqual([title, expect.arrayContaining(['namespace', 'job'])]);
      }
    }
  });

  test('has panels that do not overlap, within 24 columns', () => {
    for (const { title, gridPos: a } of panels) {
      expect([title, a.x + a.w <= 24]).toEqual([title, true]);
      const others = panels.filter(
        ({ gridPos: b }) => a !== b && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h,
      );
      expect([title, others.map((it) => it.title)]).toEqual([title, []]);
    }
  });
});

describeEngine('promtool', ['promtool'], () => {
  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(findBinary('promtool') ?? '', args, { cwd: OPS, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };

  test('accepts the rules', () => {
    const result = promtool('check', 'rules', 'alerts.yml');
    expect(result).toEqual({ status: 0, output: expect.stringContaining(`${alerts.length} rules found`) });
  });

  test('sees each alert fire and clear', () => {
    expect(promtool('test', 'rules', 'alerts.test.yml')).toEqual({
      status: 0,
      output: expect.stringContaining('SUCCESS'),
    });
  });

  test('can parse what the dashboard asks for', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dashboard-rules-'));
    const asked = charts.flatMap((it) => it.targets ?? []);
    const rules = asked.map(({ expr }, at) => ({
      record: `panel:${at}`,
      expr: expr.replaceAll('$__rate_interval', '1m'),
    }));
    const file = join(folder, 'rules.yml');
    writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules }] }));
    const result = promtool('check', 'rules', file);
    rmSync(folder, { recursive: true, force: true });

    expect(result).toEqual({ status: 0, output: expect.stringContaining(`${rules.length} rules found`) });
  });
});
