import type { ElectorReport, LeadershipTerm } from '../../../../lib/core/elector.js';
import type { Conditions } from './conditions.js';
import type { ModelCandidate } from './model-candidate.js';

/** Everything that the lease loop promises, checked against true time. */
export class Checker {
  readonly violations: string[] = [];
  readonly candidates: ModelCandidate[] = [];
  /** Called when the work of a term has settled, before the loop knows. */
  onWorkSettled: (candidate: ModelCandidate) => void = () => undefined;
  readonly #lines: string[] = [];
  #lastToken = 0n;
  /** The fenced resource: it refuses a token that is lower than one it has seen. */
  #fence = 0n;

  constructor(
    private readonly conditions: Conditions,
    private readonly now: () => number,
  ) {}

  /** What happened, for a failing seed. */
  get trace(): string {
    return this.#lines.join('\n');
  }

  say(line: string): void {
    this.#lines.push(`${this.now().toFixed(1).padStart(9)} ${line}`);
  }

  violate(what: string): void {
    this.say(`VIOLATION: ${what}`);
    this.violations.push(what);
  }

  /** Those whose term is valid now, by their own reading. */
  leaders(): ModelCandidate[] {
    return this.candidates.filter((it) => this.#leads(it));
  }

  /** After everything that happens. */
  sample(): void {
    let leader: ModelCandidate | undefined;
    for (const candidate of this.candidates) {
      if (candidate.term === undefined || !this.#leads(candidate)) continue;
      if (leader !== undefined) this.violate(`${leader.name} and ${candidate.name} lead at the same time`);
      leader = candidate;
    }
  }

  onTermBegins(candidate: ModelCandidate, term: LeadershipTerm): void {
    this.say(`${candidate.name} is elected, token ${term.fencingToken}`);
    if (candidate.isWorking) this.violate(`${candidate.name} is elected while the work of its last term goes on`);
    if (!candidate.isCampaigning) this.violate(`${candidate.name} is elected after its campaign has ended`);
    if (term.signal.aborted || !term.isValid()) this.violate(`${candidate.name} is elected for a term that has ended`);
    if (term.fencingToken <= this.#lastToken) {
      this.violate(`${candidate.name} has token ${term.fencingToken} after ${this.#lastToken}`);
    }
    this.#lastToken = term.fencingToken;
    for (const other of this.candidates) if (other !== candidate) this.#checkSettled(other, candidate);
    term.signal.addEventListener('abort', () => {
      candidate.endedAt = candidate.host.bootNow();
      this.say(`${candidate.name} loses: ${String(term.signal.reason)}`);
    });
  }

  onSettled(candidate: ModelCandidate, term: LeadershipTerm): void {
    this.onWorkSettled(candidate);
    this.say(`${candidate.name}: the work of term ${term.fencingToken} has settled`);
  }

  onSideEffect(candidate: ModelCandidate, term: LeadershipTerm): void {
    const others = this.leaders().filter((it) => it !== candidate);
    if (others.length > 0) this.violate(`${candidate.name} acts while ${others[0]?.name} leads`);
    if (term.fencingToken < this.#fence) this.violate(`${candidate.name} acts under a stale token`);
    else this.#fence = term.fencingToken;
  }

  onReport(candidate: ModelCandidate, report: ElectorReport): void {
    if (report.kind === 'read' || report.kind === 'renewal') return;
    if (report.kind === 'attempt') return this.say(`${candidate.name} ${report.won ? 'wins' : 'does not win'}`);
    this.say(`${candidate.name} ${report.operation}: ${String(report.error)}`);
  }

  /** The first read after a pause comes before any timer. */
  onResume(candidate: ModelCandidate): void {
    const { term, host, acknowledgedAt, name } = candidate;
    this.say(`${name} resumes`);
    const isOver = host.bootNow() - acknowledgedAt >= this.conditions.timing.leaseMs;
    if (isOver && term?.isValid() === true) this.violate(`${name} still leads at its first read after a pause`);
    this.sample();
  }

  #leads({ term, host }: ModelCandidate): boolean {
    if (term === undefined || host.isDead) return false;
    if (host.isRunning && this.conditions.asks) return term.isValid();
    // Code that does not run cannot ask; what it would see is what its clock says.
    return !term.signal.aborted && (term as LeadershipTerm & { remainingMs: number }).remainingMs > 0;
  }

  /** Work that has not used up its time has settled before somebody else is elected. */
  #checkSettled(other: ModelCandidate, elected: ModelCandidate): void {
    if (!other.isWorking || other.host.isDead || this.#hasOverrun(other)) return;
    this.violate(`${elected.name} is elected while the work of ${other.name} goes on`);
  }

  #hasOverrun({ host, term, acknowledgedAt, endedAt, troubledAt }: ModelCandidate): boolean {
    const { leaseMs, marginMs, stopBudgetMs } = this.conditions.timing;
    const now = host.bootNow();
    const isLeaseOver = now - acknowledgedAt >= leaseMs - marginMs;
    // Code that does not run cannot stop, nor hear that it should.
    if (!host.isRunning || host.lastPauseAt >= acknowledgedAt) return isLeaseOver;
    if (term?.signal.aborted !== true) return false;
    const isGivenUp = /resigned|campaign has ended/.test(String(term.signal.reason));
    if (!isGivenUp) return now - endedAt >= stopBudgetMs;
    // The lease is kept for the work as long as the engine answers.
    if (now - endedAt >= this.conditions.shutdownTimeoutMs) return true;
    return isLeaseOver && troubledAt >= endedAt - leaseMs;
  }
}
