// What tracking costs in a hot path, over one reading of the clock, which it cannot do without.
import { createActivityTracker, createProcessingTracker } from '../dist/index.js';
import { alternate, median, ratio, report, under } from './harness.mjs';

const OPERATIONS = 1_000_000;
const ROUNDS = 25;

const activity = createActivityTracker('bench', 60_000);
const processing = createProcessingTracker('bench', 60_000);
const overlapping = createProcessingTracker('bench', 60_000);
for (let i = 0; i < 100; i++) overlapping.startProcessing();
let sink = 0;

const subjects = {
  now() {
    for (let i = 0; i < OPERATIONS; i++) sink += performance.now();
  },
  recordActivity() {
    for (let i = 0; i < OPERATIONS; i++) activity.recordActivity();
  },
  startAndEndProcessing() {
    for (let i = 0; i < OPERATIONS; i++) processing.endProcessing(processing.startProcessing());
  },
  startAndEndAmong100: () => {
    for (let i = 0; i < OPERATIONS; i++) overlapping.endProcessing(overlapping.startProcessing());
  },
};

function nanosecondsPerOperation(run) {
  const before = performance.now();
  run();
  return ((performance.now() - before) * 1e6) / OPERATIONS;
}

const timed = Object.fromEntries(
  Object.entries(subjects).map(([name, run]) => [name, () => nanosecondsPerOperation(run)]),
);
await alternate(timed, 3);
const measured = await alternate(timed, ROUNDS);
activity.check();
processing.check();

report(
  'tracker',
  {
    nanosecondsPerOperation: Object.fromEntries(
      Object.entries(measured).map(([name, values]) => [name, median(values)]),
    ),
    rounds: ROUNDS,
    sink: sink > 0,
  },
  [
    under('recordActivity over performance.now()', ratio(measured.recordActivity, measured.now), 1.5),
    under(
      'startProcessing + endProcessing over performance.now()',
      ratio(measured.startAndEndProcessing, measured.now),
      4,
    ),
  ],
);
