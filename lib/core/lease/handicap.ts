/** However many it leads: if nobody else wants them, all are led soon. */
const MOST_STEPS = 4;

/**
 * Spreads elections over replicas: the more of them this one leads or is about to, the longer it lets others go first.
 * One for all elections of an elector.
 */
export class Handicap {
  #busy = 0;

  /** @param stepMs how much later this replica tries for each that it leads already, in milliseconds */
  constructor(private readonly stepMs: number) {}

  /** How much later than one that leads nothing this replica tries, in milliseconds. */
  get ms(): number {
    return Math.min(this.#busy, MOST_STEPS) * this.stepMs;
  }

  /** One more is tried for, or led. Returns what to call when it is not any more; idempotent. */
  take(): () => void {
    let isHeld = true;
    this.#busy++;
    return () => {
      if (isHeld) this.#busy--;
      isHeld = false;
    };
  }
}
