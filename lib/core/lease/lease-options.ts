import type { Clock } from '../clock.js';
import type { Handicap } from './handicap.js';
import type { LeaseTiming } from './lease-timing.js';

/** What a lease loop is made with. */
export interface LeaseLoopOptions {
  readonly timing: LeaseTiming;
  /** How long a store must have been empty before it is believed, in milliseconds. */
  readonly emptyStoreWaitMs: number;
  /** How long a term that was given up is renewed while its work settles, in milliseconds. */
  readonly shutdownTimeoutMs: number;
  readonly clock: Clock;
  /** Source of jitter, from 0 to 1. */
  readonly random: () => number;
  /** A part that is new for every term; with the identity it is how a holder knows itself. */
  readonly randomPart: () => string;
  /** Where this replica can be reached, for those who ask who leads. */
  readonly address?: string;
  /** Shared by all elections that are to be spread over replicas. */
  readonly handicap?: Handicap;
}
