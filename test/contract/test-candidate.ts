import { onAbort } from '../../lib/core/abort.js';
import { Deferred } from '../../lib/core/deferred.js';
import type { Candidate, ElectorReport, LeaderInfo, LeadershipTerm } from '../../lib/core/elector.js';

/** A candidate whose terms last until they are ended, and whose work takes as long as the test says. */
export class TestCandidate implements Candidate {
  readonly terms: LeadershipTerm[] = [];
  /** Identities of the leaders that it was told of. */
  readonly observed: (string | undefined)[] = [];
  readonly reports: ElectorReport[] = [];
  /** What a term's work waits for after the term has ended. */
  settling: Promise<void> = Promise.resolve();
  /** Terms whose work has not settled. */
  working = 0;
  #resignation = new Deferred<void>();

  constructor(readonly identity = 'me') {}

  get leads(): boolean {
    return this.terms.at(-1)?.isValid() === true;
  }

  async onElected(term: LeadershipTerm): Promise<void> {
    this.terms.push(term);
    this.working++;
    try {
      const ended = new Promise<void>((resolve) => onAbort(term.signal, resolve));
      await Promise.race([ended, this.#resignation.promise]);
      await this.settling;
    } finally {
      this.working--;
    }
  }

  onLeaderObserved(leader: LeaderInfo | undefined): void {
    this.observed.push(leader?.identity);
  }

  onReport(report: ElectorReport): void {
    this.reports.push(report);
  }

  /** The work of the term that is under way settles by itself. */
  resign(): void {
    this.#resignation.resolve();
    this.#resignation = new Deferred();
  }
}
