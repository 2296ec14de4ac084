import { untilAborted } from '../../core/abort.js';
import { Deferred } from '../../core/deferred.js';
import type { Candidate, ElectorReport, LeaderInfo, LeadershipTerm } from '../../core/elector.js';

/** A candidate whose terms last until they are ended, and whose work takes as long as a case says. */
export class ContractCandidate implements Candidate {
  readonly terms: LeadershipTerm[] = [];
  /** Identities of the leaders that it was told of. */
  readonly observed: (string | undefined)[] = [];
  readonly reports: ElectorReport[] = [];
  /** What a term's work waits for after the term has ended. */
  settling: Promise<void> = Promise.resolve();
  /** Terms whose work has not settled. */
  working = 0;
  #resignation = new Deferred<void>();

  /** @param onBegin called before a term is counted as begun */
  constructor(
    readonly identity = 'me',
    private readonly onBegin: (term: LeadershipTerm) => void = () => undefined,
  ) {}

  get leads(): boolean {
    return this.terms.at(-1)?.isValid() === true;
  }

  /** How often the elector was heard of. */
  get calls(): number {
    return this.terms.length + this.observed.length + this.reports.length;
  }

  get tokens(): bigint[] {
    return this.terms.map((it) => it.fencingToken);
  }

  async onElected(term: LeadershipTerm): Promise<void> {
    this.onBegin(term);
    this.terms.push(term);
    this.working++;
    try {
      await Promise.race([untilAborted(term.signal), this.#resignation.promise]);
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
