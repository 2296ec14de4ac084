import type { TimedInstrument } from './instrument.js';

/** From what is done at once to what takes a minute. */
const WORK = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60];
/** One request to an engine: the longest that the default timing allows is 1.5 s. */
const REQUESTS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2.5];
/** From a term that was lost at once to a week. */
const TERMS = [1, 10, 60, 300, 900, 3600, 21_600, 86_400, 604_800];

const timed = (name: string, help: string, label: string, buckets: readonly number[]): TimedInstrument => ({
  kind: 'histogram',
  unit: 's',
  name,
  help,
  labels: [label],
  buckets,
});

export const START_DURATION = timed(
  'component.start_duration_seconds',
  'How long a component took to become ready. Starts that failed do not count.',
  'component',
  WORK,
);

export const STOP_DURATION = timed(
  'component.stop_duration_seconds',
  'How long a run took to settle after it was told to end.',
  'component',
  WORK,
);

export const CHECK_DURATION = timed(
  'health_check.duration_seconds',
  'How long a health check took; the limit when it timed out.',
  'component',
  WORK,
);

export const TERM_DURATION = timed(
  'election.term_duration_seconds',
  'How long a term of this replica was.',
  'election',
  TERMS,
);

export const RENEW_DURATION = timed(
  'election.renew_duration_seconds',
  'How long the engine took to answer a renewal that it granted.',
  'election',
  REQUESTS,
);
