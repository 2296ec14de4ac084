/** More than any bound needs; without it an initial delay of 0 would end as 0 times infinity. */
const MAX_DOUBLINGS = 50;

/**
 * Delay before the attempt that follows `failures` others: doubles from `initialMs` up to `maxMs`, and is spread over
 * its upper half, so that replicas which failed together do not come back together.
 *
 * @param random from 0 to 1
 */
export function backoffMs(failures: number, limits: { initialMs: number; maxMs: number }, random: number): number {
  return Math.min(limits.maxMs, limits.initialMs * 2 ** Math.min(failures, MAX_DOUBLINGS)) * (0.5 + random / 2);
}
