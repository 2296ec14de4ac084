import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Model } from './model/model.js';

/**
 * To repeat one seed, with every request in the trace: `LEASE_MODEL_SEED=123 npm run test:unit -- lease/model.test`.
 * More of them: `LEASE_MODEL_SEEDS=10000`; others: `LEASE_MODEL_FROM=50001`.
 */
const ONLY_SEED = process.env['LEASE_MODEL_SEED'];
const FIRST_SEED = Number(ONLY_SEED ?? process.env['LEASE_MODEL_FROM'] ?? 1);
const SEEDS = ONLY_SEED === undefined ? Number(process.env['LEASE_MODEL_SEEDS'] ?? 1000) : 1;
const SEEDS_PER_TEST = 250;

const batches = Array.from({ length: Math.ceil(SEEDS / SEEDS_PER_TEST) }, (_, index) => ({
  from: FIRST_SEED + index * SEEDS_PER_TEST,
  to: FIRST_SEED + Math.min(SEEDS, (index + 1) * SEEDS_PER_TEST) - 1,
}));

// Nobody reads the stacks of thousands of simulated errors.
const { stackTraceLimit } = Error;
beforeAll(() => void (Error.stackTraceLimit = 0));
afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));

test.each(batches)(
  'keeps every promise of a lease, whatever fails and whenever (seeds $from to $to)',
  async ({ from, to }) => {
    for (let seed = from; seed <= to; seed++) {
      const model = new Model(seed, { isVerbose: ONLY_SEED !== undefined });
      const violations = await model.run();
      if (violations.length > 0) {
        throw new Error(`Seed ${seed} (LEASE_MODEL_SEED=${seed}): ${violations.join(', ')}\n${model.trace}`);
      }
    }
    expect(to).toBeGreaterThanOrEqual(from);
  },
  120_000,
);
