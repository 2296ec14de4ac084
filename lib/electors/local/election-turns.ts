import type { Clock } from '../../core/clock.js';
import { Handicap } from '../../core/lease/handicap.js';

/** How much later a process tries for each election that it leads already, in milliseconds. */
const STEP_MS = 150;
/** For how long all that are tried for in a row may wait together, in milliseconds: by then others have had their turn. */
const PATIENCE_MS = 2000;

/**
 * Spreads elections over processes: one process tries for one at a time, and later the more it leads, so that others go
 * first. One for all elections of an elector.
 */
export class ElectionTurns {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #busySince = 0;
  readonly #handicap = new Handicap(STEP_MS);

  constructor(private readonly clock: Clock) {}

  /** How much later than one that leads nothing this process tries, in milliseconds. */
  get waitMs(): number {
    if (this.clock.now() - this.#busySince > PATIENCE_MS) return 0;
    return this.#handicap.ms;
  }

  /** Takes a turn of its own, after all that were asked for before. Rejects as the turn does; the next one is taken all the same. */
  async take(turn: () => Promise<void>): Promise<void> {
    if (this.#waiting++ === 0) this.#busySince = this.clock.now();
    const mine = this.#last.then(turn);
    this.#last = mine.catch(() => undefined);
    try {
      await mine;
    } finally {
      this.#waiting--;
    }
  }

  /** One more is led, until what is returned is called; idempotent. */
  lead(): () => void {
    return this.#handicap.take();
  }
}
