import type { LeaderInfo } from '../core/elector.js';

/** One election as seen from this replica at this instant. */
export interface ElectionSnapshot {
  readonly election: string;
  readonly leading: boolean;
  /** Token of the term that is under way here. */
  readonly fencingToken?: bigint;
  /** Who leads, as far as can be seen from here. */
  readonly leader?: LeaderInfo;
  /** The election loop or a call under a term that has ended hangs, and how that shows. Only a restart of this process cures it. */
  readonly wedged?: string;
  /** The last error of the elector that no success has followed. */
  readonly error?: unknown;
}
