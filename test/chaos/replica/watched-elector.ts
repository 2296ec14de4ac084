import { onAbort } from '../../../lib/core/abort.js';
import type { Candidate, Diagnosis, Elector, ElectorReport, LeadershipTerm } from '../../../lib/core/elector.js';
import { errorText } from '../../../lib/core/error-text.js';
import type { Journal } from '../journal.js';
import { now, type ReplicaRecord } from '../records.js';

/** Writes down what an elector does, and changes nothing. */
export class WatchedElector implements Elector {
  readonly reportsWithinMs?: number;

  constructor(
    private readonly elector: Elector,
    private readonly journal: Journal<ReplicaRecord>,
  ) {
    if (elector.reportsWithinMs !== undefined) this.reportsWithinMs = elector.reportsWithinMs;
  }

  campaign(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    const watched: Candidate = {
      identity: candidate.identity,
      onElected: (term) => {
        this.#watch(term);
        return candidate.onElected(term);
      },
      onLeaderObserved: (leader) => candidate.onLeaderObserved(leader),
      onReport: (report) => {
        this.#note(election, report);
        candidate.onReport(report);
      },
    };
    return this.elector.campaign(election, watched, signal);
  }

  async diagnose(): Promise<Diagnosis[]> {
    return (await this.elector.diagnose?.()) ?? [];
  }

  async close(): Promise<void> {
    await this.elector.close?.();
  }

  #watch(term: LeadershipTerm): void {
    const named = { e: term.election, token: String(term.fencingToken) };
    const t = now();
    if (term.isValid()) this.journal.write({ k: 'led', t, ...named });
    this.journal.write({ k: 'elected', t, ...named });
    onAbort(term.signal, () => this.journal.write({ k: 'ended', ...named }));
  }

  #note(e: string, report: ElectorReport): void {
    if (report.kind !== 'error' && report.kind !== 'refusal') return;
    this.journal.write({ k: 'report', e, operation: report.operation, error: errorText(report.error) });
  }
}
