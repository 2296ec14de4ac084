import type { Elector } from '../../../lib/core/elector.js';
import { ContractCandidate } from '../../../lib/testing/contract/contract-candidate.js';

/** One candidate's campaign in the default election. */
export class LocalStand {
  readonly candidate: ContractCandidate;
  readonly over: Promise<void>;
  readonly #control = new AbortController();

  constructor(elector: Elector, identity = 'me') {
    this.candidate = new ContractCandidate(identity, () => undefined);
    this.over = elector.campaign('default', this.candidate, this.#control.signal);
  }

  get leads(): boolean {
    return this.candidate.leads;
  }

  get lastToken(): bigint {
    return this.candidate.tokens.at(-1) ?? 0n;
  }

  /** What it was told that stands in the way. */
  get refusals(): readonly string[] {
    return this.candidate.reports.flatMap((it) => (it.kind === 'refusal' ? [(it.error as Error).message] : []));
  }

  /** Tells it to end. */
  end(): Promise<void> {
    this.#control.abort(new Error('told to end'));
    return this.over;
  }
}
