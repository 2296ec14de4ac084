import { onAbort, sharedAbortController } from './abort.js';
import type { Candidate, LeadershipTerm } from './elector.js';
import { TermEndedError } from './errors.js';

/**
 * A term without a deadline, for electors whose leadership nobody can take away behind their back: it is valid until
 * it is ended.
 *
 * @publicApi
 */
export class ElectionTerm implements LeadershipTerm {
  readonly election: string;
  readonly identity: string;
  readonly fencingToken: bigint;
  readonly #ending = sharedAbortController();

  constructor(details: { election: string; identity: string; fencingToken: bigint }) {
    this.election = details.election;
    this.identity = details.identity;
    this.fencingToken = details.fencingToken;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  isValid(): boolean {
    return !this.signal.aborted;
  }

  assertValid(): void {
    if (this.isValid()) return;
    // A new error for each caller: its stack shows which side effect was prevented.
    throw new TermEndedError(this.election, this.fencingToken, 'no side effect may begin any more', {
      cause: this.signal.reason,
    });
  }

  /** Ends the term for good and aborts its signal in this tick. Only the first call counts. */
  end(why: string, options?: ErrorOptions): void {
    this.#ending.abort(new TermEndedError(this.election, this.fencingToken, why, options));
  }
}

/**
 * Lets a candidate serve a term: until it resigns, or `campaign` aborts, which ends the term in that tick, and all work
 * of the term has settled, in whichever way. Never rejects.
 */
export async function serveTerm(candidate: Candidate, term: ElectionTerm, campaign: AbortSignal): Promise<void> {
  const unlisten = onAbort(campaign, () => term.end('the campaign has ended', { cause: campaign.reason }));
  try {
    await candidate.onElected(term);
  } catch (error) {
    candidate.onReport({ kind: 'error', operation: 'onElected', error });
  } finally {
    unlisten();
    term.end('the candidate resigned');
  }
}
