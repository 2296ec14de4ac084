import type { Clock } from '../core/clock.js';

/** How much longer than it promised an elector may be silent: probes must not fail for a moment of load. */
const TOLERANCE = 1.5;

/**
 * Notices an election loop that hangs: a replica that looks like a healthy standby and can never lead again. Errors are
 * signs of life, so an engine that is down is not mistaken for it.
 */
export class LoopWatch {
  #lastSignAt: number | undefined;
  #releaseIsLate = false;

  constructor(
    private readonly clock: Clock,
    private readonly reportsWithinMs: number | undefined,
  ) {}

  /** The elector has done something. */
  signOfLife(): void {
    this.#lastSignAt = this.clock.now();
  }

  /** The elector was told to end its campaign, the work has settled, and it goes on all the same. */
  releaseIsLate(): void {
    this.#releaseIsLate = true;
  }

  /** No campaign is under way. */
  rest(): void {
    this.#lastSignAt = undefined;
    this.#releaseIsLate = false;
  }

  /** What is wrong; the same text for as long as it lasts. */
  get problem(): string | undefined {
    if (this.#releaseIsLate) return 'the elector does not end its campaign';
    if (this.reportsWithinMs === undefined || this.#lastSignAt === undefined) return undefined;
    const limitMs = this.reportsWithinMs * TOLERANCE;
    if (this.clock.now() - this.#lastSignAt <= limitMs) return undefined;
    return `the elector has done nothing for more than ${limitMs} ms`;
  }
}
