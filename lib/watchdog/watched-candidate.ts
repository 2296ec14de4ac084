import { onAbort } from '../core/abort.js';
import { soon } from '../core/microtask.js';
import type { Candidate, ElectorReport, LeaderInfo, LeadershipTerm } from '../core/elector.js';
import type { Watchdog } from './watchdog.js';

/** Tells the watchdog of the deadlines of a candidate's terms. */
export class WatchedCandidate implements Candidate {
  #term: LeadershipTerm | undefined;

  constructor(
    private readonly candidate: Candidate,
    private readonly watchdog: Watchdog,
  ) {}

  get identity(): string {
    return this.candidate.identity;
  }

  onElected(term: LeadershipTerm): Promise<void> {
    this.#term = term;
    // When all others that listen to the signal have been told: one of them may block.
    onAbort(term.signal, () => soon(() => this.watchdog.acknowledge(term)));
    this.#expect();
    return this.candidate.onElected(term);
  }

  onLeaderObserved(leader: LeaderInfo | undefined): void {
    this.candidate.onLeaderObserved(leader);
  }

  onReport(report: ElectorReport): void {
    if (report.kind === 'renewal') this.#expect();
    this.candidate.onReport(report);
  }

  /** The campaign is over, and with it its term. */
  close(): void {
    if (this.#term !== undefined) this.watchdog.acknowledge(this.#term);
    this.#term = undefined;
  }

  #expect(): void {
    const term = this.#term;
    const remainingMs = term && remainingMsOf(term);
    if (term === undefined || remainingMs === undefined || term.signal.aborted) return;
    this.watchdog.expect(term, remainingMs);
  }
}

/** Until the deadline of a term that has one. */
function remainingMsOf(term: LeadershipTerm): number | undefined {
  const { remainingMs } = term as { readonly remainingMs?: unknown };
  return typeof remainingMs === 'number' ? remainingMs : undefined;
}
