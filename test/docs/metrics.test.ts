import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { prometheusName } from '../../lib/metrics/instrument.js';
import { INSTRUMENTS } from '../../lib/metrics/instruments.js';
import { page, ROOT, tableUnder } from './pages.js';

const plain = (cell: string | undefined) => (cell ?? '').replaceAll('`', '');

describe('docs/metrics.md', () => {
  it('lists every metric with its names, kind, labels and meaning', () => {
    const { rows } = tableUnder(page('docs/metrics.md'), 'What is measured');

    expect(rows.map((row) => row.map(plain))).toEqual(
      INSTRUMENTS.map((it) => [prometheusName(it), it.name, it.kind, it.labels.join(', '), it.help]),
    );
  });

  it('lists every alert with its severity and how long it waits', () => {
    const { groups } = parse(readFileSync(join(ROOT, 'ops', 'alerts.yml'), 'utf8')) as {
      groups: { rules: { alert: string; for?: string; labels: { severity: string } }[] }[];
    };
    const alerts = groups.flatMap(({ rules }) => rules);
    const { rows } = tableUnder(page('docs/metrics.md'), 'Alerts');

    expect(rows.map((row) => row.slice(0, 3).map(plain))).toEqual(
      alerts.map((rule) => [rule.alert, rule.labels.severity, rule.for ?? 'at once']),
    );
    expect(rows.filter((row) => row.slice(3).some((cell) => cell.length < 10))).toEqual([]);
  });
});
