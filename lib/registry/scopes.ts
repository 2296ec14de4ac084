import { onAbort } from '../core/abort.js';
import type { LeadershipTerm } from '../core/elector.js';

/** Whether this replica leads an election: all of them or none, or the answer for each. */
export type IsLeader = boolean | ((election: string) => boolean);

/** Under what a set of components was started: when its signal aborts, they end. */
interface Scope {
  readonly signal: AbortSignal;
  readonly term: LeadershipTerm | undefined;
  /** Stops listening to the signal. */
  release(): void;
}

/** From `startAll()` to `stopAll()`. */
export interface Lifetime {
  isLeader: IsLeader;
  /** Elections that were stopped since the start: an `isLeader` of `true` is not about them any more. */
  readonly left: Set<string>;
  release(): void;
}

/** What components run under at present: the lifetime, and one term for each election that this replica leads. */
export class Scopes {
  #lifetime: Lifetime | undefined;
  readonly #terms = new Map<string, Scope>();

  get lifetime(): Lifetime | undefined {
    return this.#lifetime;
  }

  get any(): boolean {
    return this.#lifetime !== undefined || this.#terms.size > 0;
  }

  termOf(election: string | undefined): LeadershipTerm | undefined {
    return election === undefined ? undefined : this.#terms.get(election)?.term;
  }

  /** @param isLeader what is asked where no term is under way. @default what the lifetime began with */
  leads(election: string, isLeader?: IsLeader): boolean {
    if (this.#terms.has(election)) return true;
    if (isLeader !== undefined) return asksLeader(isLeader, election);
    const lifetime = this.#lifetime;
    return lifetime?.left.has(election) === false && asksLeader(lifetime.isLeader, election);
  }

  /** Replaces the one before. Calls `onEnd` when the signal aborts first. */
  beginLifetime(signal: AbortSignal, isLeader: IsLeader, onEnd: () => void): Lifetime {
    this.#lifetime?.release();
    return (this.#lifetime = { isLeader, left: new Set(), release: onAbort(signal, onEnd) });
  }

  endAll(): void {
    this.#lifetime?.release();
    this.#lifetime = undefined;
    this.#endTerms(() => true);
  }

  /** Whether a term of the election is under way, and it is not the one with this signal. */
  hasOtherTerm(election: string, signal: AbortSignal): boolean {
    const current = this.#terms.get(election);
    return current !== undefined && current.signal !== signal;
  }

  /** Calls `onEnd` when the signal aborts before `leave()`. */
  beginTerm(election: string, signal: AbortSignal, term: LeadershipTerm | undefined, onEnd: () => void): void {
    this.#terms.get(election)?.release();
    this.#terms.set(election, { signal, term, release: onAbort(signal, onEnd) });
  }

  /** This replica does not lead the election any more, or none of them. */
  leave(election: string | undefined): void {
    this.#endTerms((it) => election === undefined || it === election);
    // A function is asked anew; `true` was said once.
    if (typeof this.#lifetime?.isLeader !== 'boolean') return;
    if (election === undefined) this.#lifetime.isLeader = false;
    else this.#lifetime.left.add(election);
  }

  #endTerms(isConcerned: (election: string) => boolean): void {
    for (const [election, scope] of this.#terms) {
      if (!isConcerned(election)) continue;
      scope.release();
      this.#terms.delete(election);
    }
  }
}

/** Only `true` means leading: a promise, which an untyped caller may hand out, does not. */
function asksLeader(isLeader: IsLeader, election: string): boolean {
  const answer: unknown = typeof isLeader === 'function' ? isLeader(election) : isLeader;
  return answer === true;
}
