import type { Diagnosis } from '../core/elector.js';
import type { ObservedApp, ObservedElection, TermProgress } from '../core/lifecycle-observer.js';

/** Where the elector does not say how long a lease may stay unrenewed. */
const DEFAULT_SILENCE_MS = 30_000;
/** Of the terms that were served here. */
const MOST_TOKENS = 100;

/**
 * Notices another replica of the same name. A leader of our name whose token is not ours may also be what this process was
 * before it was started again: only one that still leads when that lease has run out is somebody else.
 */
export class IdentityCheck {
  /** With their elections: two may have the same token. */
  readonly #own = new Set<string>();
  /** By election: whom we saw, and since when. */
  readonly #seen = new Map<string, { readonly token: bigint; readonly at: number }>();
  readonly #patienceMs: number;
  #isSaid = false;

  constructor(
    private readonly app: ObservedApp,
    reportsWithinMs = DEFAULT_SILENCE_MS,
  ) {
    this.#patienceMs = 2 * reportsWithinMs;
  }

  onTermProgress({ election, fencingToken }: TermProgress): void {
    this.#own.add(termKey(election, fencingToken));
    const [oldest] = this.#own;
    if (this.#own.size > MOST_TOKENS && oldest !== undefined) this.#own.delete(oldest);
  }

  look(): Diagnosis | undefined {
    for (const election of this.app.elections()) {
      if (!this.#isSaid && this.#isSomebodyElse(election)) return this.#finding(election);
    }
    return undefined;
  }

  #isSomebodyElse({ election, leading, leader }: ObservedElection): boolean {
    const token = leader?.fencingToken;
    const isOfOurName = !leading && leader?.identity === this.app.identity;
    if (!isOfOurName || token === undefined || this.#own.has(termKey(election, token))) {
      this.#seen.delete(election);
      return false;
    }
    const now = this.app.clock.now();
    const seen = this.#seen.get(election);
    if (seen?.token === token) return now - seen.at >= this.#patienceMs;
    this.#seen.set(election, { token, at: now });
    return false;
  }

  #finding({ election }: ObservedElection): Diagnosis {
    this.#isSaid = true;
    return {
      level: 'warning',
      summary: `Another replica that calls itself "${this.app.identity}" leads election "${election}": nobody can tell the two apart.`,
      remedy: 'Leave identity out, or make it of the name of the pod or host and something that each start draws anew.',
    };
  }
}

function termKey(election: string, token: bigint): string {
  return `${election} ${token}`;
}
