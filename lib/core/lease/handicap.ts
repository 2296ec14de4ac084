/** A replica that leads one more election tries that much later, as a share of the lease. */
const STEP = 1 / 8;
/** However many it leads: if nobody else wants them, all are led soon. */
const MOST_STEPS = 4;

/**
 * Spreads elections over replicas: the more of them this one leads or is about to, the longer it lets others go first.
 * One for all elections of an elector.
 */
export class Handicap {
  #busy = 0;

  constructor(private readonly leaseMs: number) {}

  /** How much later than one that leads nothing this replica tries, in milliseconds. */
  get ms(): number {
    return Math.min(this.#busy, MOST_STEPS) * STEP * this.leaseMs;
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
