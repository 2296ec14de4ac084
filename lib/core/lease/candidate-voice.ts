import type { Clock } from '../clock.js';
import type { Candidate, ElectorReport, LeadershipTerm } from '../elector.js';
import { EngineRefusalError } from '../errors.js';
import { callObserver } from '../observer-call.js';

/** Who leads, as it is known here. */
export interface KnownLeader {
  readonly holder: string;
  readonly identity: string;
  readonly token?: bigint;
  readonly address?: string;
}

/**
 * The candidate, as the lease loop talks to it: whatever its callbacks throw, the loop goes on, and it hears of a leader
 * when there is a new one, not at every look.
 */
export class CandidateVoice {
  #leader: KnownLeader | undefined;

  constructor(
    private readonly candidate: Candidate,
    private readonly clock: Clock,
  ) {}

  get identity(): string {
    return this.candidate.identity;
  }

  /** Settles when the term's work has settled, in whichever way. Never rejects. */
  async elected(term: LeadershipTerm): Promise<void> {
    try {
      await this.candidate.onElected(term);
    } catch (error) {
      this.report({ kind: 'error', operation: 'onElected', error });
    }
  }

  leads(leader: KnownLeader | undefined): void {
    const before = this.#leader;
    this.#leader = leader;
    if (before?.holder === leader?.holder && before?.token === leader?.token) return;
    const info = leader && {
      identity: leader.identity,
      since: this.clock.wallNow(),
      ...(leader.token !== undefined && { fencingToken: leader.token }),
      ...(leader.address !== undefined && { address: leader.address }),
    };
    const onThrown = (error: unknown) => this.report({ kind: 'error', operation: 'onLeaderObserved', error });
    callObserver(() => this.candidate.onLeaderObserved(info), onThrown);
  }

  report(report: ElectorReport): void {
    // There is nobody left to tell.
    callObserver(
      () => this.candidate.onReport(report),
      () => undefined,
    );
  }

  /** Returns whether it is a refusal: asking often would help nobody. */
  failed(operation: string, error: unknown): boolean {
    const refused = error instanceof EngineRefusalError;
    this.report({ kind: refused ? 'refusal' : 'error', operation, error });
    return refused;
  }
}
