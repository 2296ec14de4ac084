import { describe, expect, it } from '@jest/globals';
import { resolveLeaseTiming, type LeaseTiming } from '../../lib/core/lease/lease-timing.js';
import { resolvePostgresOptions } from '../../lib/electors/postgres/postgres-elector-options.js';
import { page, pages, tableUnder } from './pages.js';

/** By the head of their column. */
const TIMINGS: Readonly<Record<string, LeaseTiming>> = {
  default: resolveLeaseTiming({}, 'any'),
  "`'fast'`": resolveLeaseTiming('fast', 'any'),
  sessions: resolvePostgresOptions({ namespace: 'any', url: 'postgres://localhost', crashDetection: 'session' }).lease
    .timing,
};

describe('lease times', () => {
  it('in the table of docs/electors.md are those of the code', () => {
    const { header, rows } = tableUnder(page('docs/electors.md'), 'Lease times');

    const listed = header.slice(1, -1).map((name, index) => [name, rows.map((row) => row[index + 1])] as const);
    expect(Object.fromEntries(listed)).toEqual(
      Object.fromEntries(
        Object.entries(TIMINGS).map(([name, it]) => {
          const times = [it.leaseMs, it.renewMs, it.requestTimeoutMs, it.stopBudgetMs, it.marginMs, it.deadlineMs];
          return [name, times.map((ms) => `${ms} ms`)];
        }),
      ),
    );
  });

  it('in a row, wherever four of them are named, are those of the code', () => {
    const sets = Object.values(TIMINGS).map((it) =>
      [it.leaseMs, it.renewMs, it.requestTimeoutMs, it.stopBudgetMs].join(),
    );

    const named = pages.flatMap(({ path, prose }) =>
      [...prose.join(' ').matchAll(/(\d{3,4}), (\d{3,4}), (\d{3,4})(?: and|,) (\d{3,4})/g)].map((it) => ({
        path,
        times: it.slice(1).join(),
      })),
    );
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter(({ times }) => !sets.includes(times))).toEqual([]);
  });
});
