import { delay, systemClock, type Clock } from '../../core/clock.js';
import type { Candidate, Elector } from '../../core/elector.js';
import { ElectionTerm, serveTerm } from '../../core/election-term.js';

/** Between a resignation and the next term: nobody else could take over, so hurry would only spin. */
const AFTER_RESIGNATION_MS = 1000;

/**
 * Leads at once, in every election: for services with one replica, and the default without an elector. A candidate
 * that resigns leads again after a second.
 *
 * Fencing tokens are this process's clock in microseconds, or one more than the last one, so they rise whatever happens
 * to the clock meanwhile, and over restarts as long as it was not set back. It asks nobody: two processes with it both
 * lead.
 *
 * @publicApi
 */
export class StandaloneElector implements Elector {
  readonly standalone = true;
  readonly #clock: Clock;
  #lastToken = 0n;

  constructor(options: { readonly clock?: Clock } = {}) {
    this.#clock = options.clock ?? systemClock;
  }

  async campaign(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#lead(election, candidate, signal);
      await delay(this.#clock, AFTER_RESIGNATION_MS, signal, { background: true });
    }
  }

  /** Until the candidate has resigned, or the campaign has ended and all work of the term has settled. Never rejects. */
  async #lead(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    const { identity } = candidate;
    const term = new ElectionTerm({ election, identity, fencingToken: this.#nextToken() });
    candidate.onLeaderObserved({ identity, fencingToken: term.fencingToken, since: this.#clock.wallNow() });
    await serveTerm(candidate, term, signal);
    candidate.onLeaderObserved(undefined);
  }

  #nextToken(): bigint {
    // A clock may count parts of milliseconds.
    const now = BigInt(Math.round(this.#clock.wallNow() * 1000));
    this.#lastToken = now > this.#lastToken ? now : this.#lastToken + 1n;
    return this.#lastToken;
  }
}
