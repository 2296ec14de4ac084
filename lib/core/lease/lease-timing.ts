import { InvalidOptionError } from '../errors.js';
import { assertObject, assertTimeout, definedOnly, rejectUnknownOptions } from '../option-checks.js';

/** The times of a lease, in milliseconds. @publicApi */
export interface LeaseTimingOptions {
  /** How long a lease lasts that is not renewed. @default 8000 */
  readonly leaseMs?: number;
  /** Between the sending of two renewals. @default 2000 */
  readonly renewMs?: number;
  /** How long one request to the engine may take. @default 1500 */
  readonly requestTimeoutMs?: number;
  /** How long the work may take to settle after the leadership was lost. @default 1500 */
  readonly stopBudgetMs?: number;
}

/** Times with the ones that follow from them. @publicApi */
export interface LeaseTiming extends Required<LeaseTimingOptions> {
  /** Kept free at the end of the lease for clocks that run apart: at least 250 ms, or a tenth of the lease. */
  readonly marginMs: number;
  /** A term ends this long after its last acknowledged request was sent: lease less stop budget and margin. */
  readonly deadlineMs: number;
  /** The longest pause before a failed renewal is tried again. */
  readonly retryMs: number;
}

/** What an engine makes different. @publicApi */
export interface LeaseTimingRules {
  /** Used for times that are not given. @default those of `LEASE_TIMINGS.default` */
  readonly defaults?: Required<LeaseTimingOptions>;
  /** For engines whose followers see less than milliseconds. @default 250 */
  readonly smallestMarginMs?: number;
  /** For engines on which renewals that follow each other closely look like one. @default 0 */
  readonly smallestRenewMs?: number;
}

/** Sets of times that fit together. `fast` fails over in about 3 s and wants an engine that answers within 600 ms. */
export const LEASE_TIMINGS = {
  default: { leaseMs: 8000, renewMs: 2000, requestTimeoutMs: 1500, stopBudgetMs: 1500 },
  fast: { leaseMs: 3000, renewMs: 700, requestTimeoutMs: 600, stopBudgetMs: 700 },
} as const;

const LONGEST_RETRY_MS = 500;
const SHORTEST_RETRY_MS = 50;
const SMALLEST_MARGIN_MS = 250;
/** Covers clocks that run 5 % too fast at a follower and 5 % too slow at the holder: 0.9 / 0.95 < 1 / 1.05. */
const MARGIN_SHARE = 0.1;

/**
 * Completes and checks the times of a lease.
 *
 * Two renewals in a row may fail by taking their whole time before the term has to end: renew + 2 * request timeout +
 * longest retry pause must fit in the deadline.
 *
 * @param where for the error, for example "RedisElector"
 * @throws InvalidOptionError with the numbers and the rule that they break
 * @publicApi
 */
export function resolveLeaseTiming(
  given: LeaseTimingOptions | 'fast' = {},
  where: string,
  rules: LeaseTimingRules = {},
): LeaseTiming {
  const { defaults = LEASE_TIMINGS.default, smallestMarginMs = SMALLEST_MARGIN_MS, smallestRenewMs = 0 } = rules;
  const options: unknown = given === 'fast' ? LEASE_TIMINGS.fast : given;
  assertObject('timing', options, where, "Pass 'fast', or { leaseMs, renewMs, requestTimeoutMs, stopBudgetMs }.");
  const times = definedOnly(options as LeaseTimingOptions);
  rejectUnknownOptions(times, Object.keys(LEASE_TIMINGS.default), `timing of ${where}`);
  for (const [name, value] of Object.entries(times)) assertTimeout(`timing.${name}`, value, where);
  const base = { ...defaults, ...times };
  const marginMs = Math.max(smallestMarginMs, Math.ceil(base.leaseMs * MARGIN_SHARE));
  const deadlineMs = base.leaseMs - base.stopBudgetMs - marginMs;
  const retryMs = Math.min(LONGEST_RETRY_MS, deadlineMs - base.renewMs - 2 * base.requestTimeoutMs);
  const timing = { ...base, marginMs, deadlineMs, retryMs };
  assertFits(timing, where);
  assertNotTooFast(timing, smallestRenewMs, where);
  return timing;
}

function assertFits(timing: LeaseTiming, where: string): void {
  const { leaseMs, renewMs, requestTimeoutMs, stopBudgetMs, marginMs, deadlineMs, retryMs } = timing;
  if (retryMs >= SHORTEST_RETRY_MS) return;
  const needed = renewMs + 2 * requestTimeoutMs + SHORTEST_RETRY_MS;
  throw new InvalidOptionError({
    option: 'timing',
    value: { leaseMs, renewMs, requestTimeoutMs, stopBudgetMs },
    where,
    expected:
      `renewMs + 2 * requestTimeoutMs + ${SHORTEST_RETRY_MS} (a retry) to be at most leaseMs - stopBudgetMs - margin: ` +
      `${renewMs} + 2 * ${requestTimeoutMs} + ${SHORTEST_RETRY_MS} = ${needed}, but ` +
      `${leaseMs} - ${stopBudgetMs} - ${marginMs} = ${deadlineMs}`,
    remedy: 'Lengthen the lease, or shorten one of the others.',
  });
}

function assertNotTooFast({ renewMs }: LeaseTiming, smallestRenewMs: number, where: string): void {
  if (renewMs >= smallestRenewMs) return;
  throw new InvalidOptionError({
    option: 'timing.renewMs',
    value: renewMs,
    where,
    expected: `at least ${smallestRenewMs}: renewals that follow each other faster are not seen by all followers`,
    remedy: 'Renew less often, and lengthen the lease if need be.',
  });
}
