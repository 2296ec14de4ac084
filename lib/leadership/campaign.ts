import { Deferred } from '../core/deferred.js';
import type { Candidate, ElectorReport, LeaderInfo, LeadershipTerm } from '../core/elector.js';

/** What a campaign tells of. */
export interface CampaignListener {
  onElected(campaign: Campaign, term: LeadershipTerm): Promise<void>;
  onLeaderObserved(leader: LeaderInfo | undefined): void;
  onReport(report: ElectorReport): void;
}

/**
 * One call of the elector, and the candidate that it is given. What an elector says after it has returned is about a
 * campaign that nobody waits for any more: it must not reach the one that has followed.
 */
export class Campaign implements Candidate {
  readonly #control = new AbortController();
  readonly #over = new Deferred<void>();
  #returned = false;

  constructor(
    readonly identity: string,
    private readonly listener: CampaignListener,
  ) {}

  /** Aborted when the campaign is told to end. */
  get signal(): AbortSignal {
    return this.#control.signal;
  }

  /** Whether a term may still begin. */
  get open(): boolean {
    return !this.#returned && !this.signal.aborted;
  }

  /** Resolves when the elector has returned and all work of its terms has settled. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Tells the elector to end it. Only the first call counts. */
  end(reason: unknown): void {
    this.#control.abort(reason);
  }

  markReturned(): void {
    this.#returned = true;
  }

  markOver(): void {
    this.#over.resolve();
  }

  /** Settles when all work of the term has settled, however long that takes. Never rejects. */
  onElected(term: LeadershipTerm): Promise<void> {
    return this.listener.onElected(this, term);
  }

  onLeaderObserved(leader: LeaderInfo | undefined): void {
    if (!this.#returned) this.listener.onLeaderObserved(leader);
  }

  onReport(report: ElectorReport): void {
    if (!this.#returned) this.listener.onReport(report);
  }
}
