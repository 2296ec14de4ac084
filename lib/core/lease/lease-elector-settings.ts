import type { Clock } from '../clock.js';
import { assertElectionName } from '../names.js';
import { assertBoolean, assertDuration, assertMethods, assertNonEmptyString, assertObject } from '../option-checks.js';
import type { LeaseElectorOptions } from './lease-elector.js';
import { resolveLeaseTiming, type LeaseTimingOptions, type LeaseTimingRules } from './lease-timing.js';

/**
 * What all electors that hold a lease on an engine take, beside what their engine needs.
 *
 * @publicApi
 */
export interface LeaseElectorSettings {
  /**
   * What sets this service apart on an engine that others use too: every key is `namespace/election`. The same on all
   * replicas of the service. Lower-case letters, digits and "-", at most 63.
   */
  readonly namespace: string;
  /** The times of the lease, or `'fast'`: lease 3000 ms, for an engine that answers within 600 ms. The same on all replicas. @default lease 8000 ms */
  readonly timing?: LeaseTimingOptions | 'fast';
  /**
   * How long an engine that knows nothing of an election must have been seen so before somebody leads, in milliseconds:
   * it may have lost its data while somebody still leads. 0: at once, on an engine that never loses any.
   *
   * @default the lease
   */
  readonly emptyStoreWaitMs?: number;
  /**
   * How long a term that was given up is renewed while its work settles, in milliseconds. At least the module's
   * `shutdownTimeoutMs`.
   *
   * @default 25000
   */
  readonly shutdownTimeoutMs?: number;
  /**
   * Whether a replica that leads many elections lets others win some, by trying later the more it leads: by up to half a
   * lease, so that one which is alone leads them all.
   *
   * @default false
   */
  readonly spread?: boolean;
  /** Where this replica can be reached, for those who ask who leads: a URL for example. */
  readonly address?: string;
  /** @default the system's time */
  readonly clock?: Clock;
}

/** The names of these options, for electors that reject what they do not know. @publicApi */
export const LEASE_ELECTOR_SETTINGS = [
  'namespace',
  'timing',
  'emptyStoreWaitMs',
  'shutdownTimeoutMs',
  'spread',
  'address',
  'clock',
] as const satisfies readonly (keyof LeaseElectorSettings)[];

/**
 * Checks what all lease electors take. What only one engine knows is left to its elector.
 *
 * @param where for the error, for example "RedisElector"
 * @throws InvalidOptionError
 * @publicApi
 */
export function resolveLeaseElectorSettings(
  given: LeaseElectorSettings,
  where: string,
  rules?: LeaseTimingRules,
): Omit<LeaseElectorOptions, 'store'> & { readonly namespace: string } {
  assertObject('options', given, where, 'Pass at least { namespace: "orders" }.');
  const { namespace, timing, emptyStoreWaitMs, shutdownTimeoutMs, spread, address, clock } = given;
  assertElectionName('namespace', namespace, where);
  assertDuration('emptyStoreWaitMs', emptyStoreWaitMs, where);
  assertDuration('shutdownTimeoutMs', shutdownTimeoutMs, where);
  assertBoolean('spread', spread, where);
  assertNonEmptyString('address', address, where);
  assertMethods('clock', clock, ['now', 'wallNow', 'setTimer'], where);
  return {
    namespace,
    timing: resolveLeaseTiming(timing, where, rules),
    ...(emptyStoreWaitMs !== undefined && { emptyStoreWaitMs }),
    ...(shutdownTimeoutMs !== undefined && { shutdownTimeoutMs }),
    ...(spread !== undefined && { spread }),
    ...(address !== undefined && { address }),
    ...(clock !== undefined && { clock }),
  };
}
