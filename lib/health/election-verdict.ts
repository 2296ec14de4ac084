import type { ElectionSnapshot } from '../leadership/election-snapshot.js';
import { errorNote, type HealthLevel } from './component-verdict.js';

/**
 * What `/health` says about one election. It is down when its loop hangs. An engine that cannot be reached degrades it and never fails it: restarting
 * this replica, or taking it out of service, would bring no engine back.
 *
 * @publicApi
 */
export interface ElectionVerdict {
  readonly election: string;
  readonly level: HealthLevel;
  readonly role: 'leader' | 'standby';
  /** Identity of the leader, as far as it can be seen from here. */
  readonly leader?: string;
  /** Token of the term that is under way here, in decimal: JSON has no bigint. */
  readonly fencingToken?: string;
  /** What is wrong. */
  readonly note?: string;
}

/** @param details `false`: the note does not repeat what the elector reports */
export function judgeElection(snapshot: ElectionSnapshot, details = true): ElectionVerdict {
  const { election, leading, leader, fencingToken, error, wedged } = snapshot;
  const reported = details ? () => errorNote(error) : () => 'the elector reports an error, which is in the log';
  const note = wedged ?? (error === undefined ? undefined : reported());
  return {
    election,
    level: levelOf(snapshot),
    role: leading ? 'leader' : 'standby',
    ...(leader !== undefined && { leader: leader.identity }),
    ...(fencingToken !== undefined && { fencingToken: String(fencingToken) }),
    ...(note !== undefined && { note }),
  };
}

function levelOf({ error, wedged }: ElectionSnapshot): HealthLevel {
  // A restart of this replica is due, as its liveness says.
  if (wedged !== undefined) return 'down';
  return error === undefined ? 'up' : 'degraded';
}
