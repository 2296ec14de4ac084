import { expect, test } from '@jest/globals';
import { errorText } from '../../../lib/core/error-text.js';
import { Model } from './model/model.js';

/** To repeat one seed: `MODEL_SEED=123 MODEL_SEEDS=1 npm run test:unit -- model`. */
const FIRST_SEED = Number(process.env['MODEL_SEED'] ?? 1);
const SEEDS = Number(process.env['MODEL_SEEDS'] ?? 400);
const SEEDS_PER_TEST = 50;

const batches = Array.from({ length: Math.ceil(SEEDS / SEEDS_PER_TEST) }, (_, index) => ({
  from: FIRST_SEED + index * SEEDS_PER_TEST,
  to: FIRST_SEED + Math.min(SEEDS, (index + 1) * SEEDS_PER_TEST) - 1,
}));

test.each(batches)(
  'keeps its promises whatever is asked of it, in whatever order, of whatever components (seeds $from to $to)',
  async ({ from, to }) => {
    for (let seed = from; seed <= to; seed++) {
      const model = new Model(seed);
      try {
        await model.run();
      } catch (error) {
        const where = `Seed ${seed} (MODEL_SEED=${seed} MODEL_SEEDS=1)`;
        throw new Error(`${where}: ${errorText(error)}\n${model.trace}`, { cause: error });
      }
    }
    expect(to).toBeGreaterThanOrEqual(from);
  },
  30_000,
);
