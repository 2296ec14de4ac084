import type { Elector } from '../../lib/core/elector.js';
import type { TestCandidate } from './test-candidate.js';

/** One candidate's campaign. */
export class Stand {
  readonly #control = new AbortController();
  readonly over: Promise<void>;
  isOver = false;

  constructor(
    elector: Elector,
    readonly candidate: TestCandidate,
    election: string,
  ) {
    this.over = elector.campaign(election, candidate, this.#control.signal).then(() => {
      this.isOver = true;
    });
  }

  get leads(): boolean {
    return this.candidate.leads;
  }

  /** Tells it to end. */
  end(): Promise<void> {
    this.#control.abort(new Error('told to end'));
    return this.over;
  }
}
