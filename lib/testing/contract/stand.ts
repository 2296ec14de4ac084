import type { Elector, LeadershipTerm } from '../../core/elector.js';
import { ContractCandidate } from './contract-candidate.js';

export interface StandListener {
  onBegin(stand: Stand, term: LeadershipTerm): void;
  onEnd(stand: Stand, failure?: { readonly error: unknown }): void;
}

/** One candidate's campaign. */
export class Stand {
  readonly candidate: ContractCandidate;
  isOver = false;
  /** Nothing is expected of it any more. */
  hasCrashed = false;
  readonly #control = new AbortController();

  constructor(
    readonly elector: Elector,
    readonly election: string,
    identity: string,
    listener: StandListener,
  ) {
    this.candidate = new ContractCandidate(identity, (term) => listener.onBegin(this, term));
    void this.#campaign(listener);
  }

  get leads(): boolean {
    return this.candidate.leads;
  }

  get wasToldToEnd(): boolean {
    return this.#control.signal.aborted;
  }

  get lastToken(): bigint {
    return this.candidate.terms.at(-1)?.fencingToken ?? 0n;
  }

  /** Tells it to end. */
  tellToEnd(): void {
    this.#control.abort(new Error('told to end'));
  }

  /** Never rejects: what a campaign throws is for the referee. */
  async #campaign(listener: StandListener): Promise<void> {
    try {
      await this.elector.campaign(this.election, this.candidate, this.#control.signal);
      this.isOver = true;
      listener.onEnd(this);
    } catch (error) {
      this.isOver = true;
      listener.onEnd(this, { error });
    }
  }
}
