import { untilAborted } from '../../lib/core/abort.js';
import type { Candidate, Elector, ElectorReport, LeaderInfo, LeadershipTerm } from '../../lib/core/elector.js';

/** One replica's campaign; its terms last until they are ended. */
export class LeaseReplica<E extends Elector = Elector> implements Candidate {
  readonly terms: LeadershipTerm[] = [];
  /** Identities of the leaders that it was told of. */
  readonly observed: (string | undefined)[] = [];
  readonly reports: ElectorReport[] = [];
  isOver = false;
  readonly #control = new AbortController();
  readonly #over: Promise<void>;

  /** @param onBegin called before a term is counted as begun */
  constructor(
    readonly elector: E,
    readonly election: string,
    readonly identity: string,
    private readonly onBegin: (replica: LeaseReplica, term: LeadershipTerm) => void,
  ) {
    this.#over = elector.campaign(election, this, this.#control.signal).finally(() => (this.isOver = true));
  }

  get leads(): boolean {
    return this.terms.at(-1)?.isValid() === true;
  }

  get lastToken(): bigint {
    return this.terms.at(-1)?.fencingToken ?? 0n;
  }

  /** How often it has renewed its lease. */
  get renewals(): number {
    return this.reports.filter(({ kind }) => kind === 'renewal').length;
  }

  /** What it has heard of failures of one kind, as texts. */
  failures(kind: 'error' | 'refusal'): string[] {
    return this.reports.flatMap((it) => (it.kind === kind && 'error' in it ? [String(it.error)] : []));
  }

  async onElected(term: LeadershipTerm): Promise<void> {
    this.onBegin(this, term);
    this.terms.push(term);
    await untilAborted(term.signal);
  }

  onLeaderObserved(leader: LeaderInfo | undefined): void {
    this.observed.push(leader?.identity);
  }

  onReport(report: ElectorReport): void {
    this.reports.push(report);
  }

  /** Tells it to end, and waits until it has. */
  end(): Promise<void> {
    this.#control.abort(new Error('told to end'));
    return this.#over;
  }
}
