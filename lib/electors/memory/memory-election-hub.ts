import { systemClock, type Clock } from '../../core/clock.js';
import type { Candidate, LeaderInfo } from '../../core/elector.js';
import { ElectionTerm } from '../../core/election-term.js';
import { callObserver } from '../../core/observer-call.js';

/** One candidate's place in an election. */
export interface Candidacy {
  readonly candidate: Candidate;
  /** Called once when it is this candidate's turn. */
  readonly onTurn: (term: ElectionTerm) => void;
}

interface Election {
  /** Who leads, or whose work has not settled yet, is the first in it. */
  readonly queue: Candidacy[];
  leader: { readonly candidacy: Candidacy; readonly info: LeaderInfo } | undefined;
  lastToken: bigint;
}

/** Options of `MemoryElectionHub`. @publicApi */
export interface MemoryElectionHubOptions {
  /** @default the system's time */
  readonly clock?: Clock;
}

/**
 * Where memory electors meet: candidates queue up, the first one leads until it leaves. One hub stands for one engine;
 * separate hubs know nothing of each other.
 *
 * @publicApi
 */
export class MemoryElectionHub {
  /** @internal */
  readonly clock: Clock;
  readonly #elections = new Map<string, Election>();

  constructor(options: MemoryElectionHubOptions = {}) {
    this.clock = options.clock ?? systemClock;
  }

  /** Joins the end of the queue; leads at once when it is empty. @internal */
  join(election: string, candidacy: Candidacy): void {
    const state = this.#election(election);
    state.queue.push(candidacy);
    if (state.leader === undefined) this.#electNext(election, state);
    else tellLeader(candidacy.candidate, state.leader.info);
  }

  /** Leaves the queue, or the lead, which the next one takes within this call. Idempotent. @internal */
  leave(election: string, candidacy: Candidacy): void {
    const state = this.#election(election);
    const place = state.queue.indexOf(candidacy);
    if (place >= 0) state.queue.splice(place, 1);
    if (state.leader?.candidacy === candidacy) this.#electNext(election, state);
  }

  #electNext(election: string, state: Election): void {
    const [next] = state.queue;
    state.leader = undefined;
    if (next === undefined) return;
    const { identity } = next.candidate;
    const fencingToken = ++state.lastToken;
    const info = { identity, fencingToken, since: this.clock.wallNow() };
    state.leader = { candidacy: next, info };
    next.onTurn(new ElectionTerm({ election, identity, fencingToken }));
    for (const { candidate } of [...state.queue]) tellLeader(candidate, info);
  }

  #election(name: string): Election {
    const known = this.#elections.get(name);
    if (known !== undefined) return known;
    const fresh: Election = { queue: [], leader: undefined, lastToken: 0n };
    this.#elections.set(name, fresh);
    return fresh;
  }
}

/** What one candidate throws must not keep the others from leading, or from knowing who does. */
export function tellLeader(candidate: Candidate, leader: LeaderInfo | undefined): void {
  const report = (error: unknown) =>
    callObserver(
      () => candidate.onReport({ kind: 'error', operation: 'onLeaderObserved', error }),
      () => undefined,
    );
  callObserver(() => candidate.onLeaderObserved(leader), report);
}
