/** How much later a process tries for each election that it leads already, in milliseconds. */
const STEP_MS = 150;
/** However many it leads: if nobody else wants them, all are led soon. */
const MOST_STEPS = 4;

/**
 * Spreads elections over processes: one process tries for one at a time, and later the more it leads, so that others go
 * first. One for all elections of an elector.
 */
export class ElectionTurns {
  #last: Promise<void> = Promise.resolve();
  #led = 0;

  /** How much later than one that leads nothing this process tries, in milliseconds. */
  get waitMs(): number {
    return Math.min(this.#led, MOST_STEPS) * STEP_MS;
  }

  /** Takes a turn of its own, after all that were asked for before. Never rejects. */
  async take(turn: () => Promise<void>): Promise<void> {
    const mine = this.#last.then(turn);
    this.#last = mine.catch(() => undefined);
    await mine;
  }

  /** One more is led, until what is returned is called; idempotent. */
  lead(): () => void {
    let isLed = true;
    this.#led++;
    return () => {
      if (isLed) this.#led--;
      isLed = false;
    };
  }
}
