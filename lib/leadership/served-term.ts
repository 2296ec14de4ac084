import { onAbort, sharedAbortController } from '../core/abort.js';
import type { LeadershipTerm } from '../core/elector.js';
import { TermEndedError } from '../core/errors.js';

/**
 * A term as this replica serves it: what components and users are handed. It ends with the term that the elector
 * granted, and also without it: when the replica gives up, when the campaign breaks, or when a read finds that the
 * deadline has passed. So an elector that is slow or broken cannot keep alive what has ended here.
 */
export class ServedTerm implements LeadershipTerm {
  readonly identity: string;
  readonly fencingToken: bigint;
  readonly #ending = sharedAbortController();

  constructor(
    readonly election: string,
    private readonly granted: LeadershipTerm,
  ) {
    this.identity = granted.identity;
    this.fencingToken = granted.fencingToken;
    onAbort(granted.signal, () => this.end(granted.signal.reason));
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get remainingMs(): number | undefined {
    return this.granted.remainingMs;
  }

  isValid(): boolean {
    // To ask may end it, by the abort of the granted term's signal or here.
    if (!this.signal.aborted && !this.granted.isValid()) this.end(this.#overdue());
    return !this.signal.aborted;
  }

  assertValid(): void {
    if (this.isValid()) return;
    // A new error for each caller: its stack shows which side effect was prevented.
    throw new TermEndedError(this.election, this.fencingToken, 'no side effect may begin any more', {
      cause: this.signal.reason,
    });
  }

  /** Ends the term for good and aborts its signal with `reason` in this tick. Only the first call counts. */
  end(reason: unknown): void {
    this.#ending.abort(reason);
  }

  #overdue(): TermEndedError {
    return new TermEndedError(this.election, this.fencingToken, 'its deadline has passed');
  }
}
