import type { GuardedLogger } from '../core/logger.js';
import type { Clock } from '../core/clock.js';

/** At most one report in this time, in milliseconds. */
const REPORT_INTERVAL_MS = 10_000;

/** Event names are the user's to make up; a report names the ones with the most drops. */
const MAX_NAMED = 5;

/**
 * Counts dropped events and logs them: the first at once, those that follow together every 10 seconds. Every drop is in
 * exactly one report.
 */
export class DropReporter {
  #total = 0;
  readonly #unreported = new Map<string, number>();
  #cancelTimer: (() => void) | undefined;

  constructor(
    private readonly logger: GuardedLogger,
    private readonly clock: Clock,
  ) {}

  /** Dropped events, ever. */
  get total(): number {
    return this.#total;
  }

  /** @param what the event, why it was dropped, and what helps */
  record(what: string): void {
    this.#total++;
    this.#unreported.set(what, (this.#unreported.get(what) ?? 0) + 1);
    if (this.#cancelTimer === undefined) this.#report();
  }

  /** Reports what is still to be reported, and leaves no timer behind. */
  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#unreported.size > 0) this.#log();
  }

  #report(): void {
    this.#cancelTimer = undefined;
    if (this.#unreported.size === 0) return;
    this.#cancelTimer = this.clock.setTimer(() => this.#report(), REPORT_INTERVAL_MS, { background: true });
    this.#log();
  }

  #log(): void {
    const counts = [...this.#unreported].toSorted(([, a], [, b]) => b - a);
    this.#unreported.clear();
    const named = counts.slice(0, MAX_NAMED).map(([what, count]) => `${count} x ${what}`);
    const others = counts.slice(MAX_NAMED).reduce((sum, [, count]) => sum + count, 0);
    if (others > 0) named.push(`${others} others`);
    this.logger.warn({
      message: `Events were dropped: ${named.join('; ')}. ${this.#total} in all so far.`,
      event: 'lifecycle.events.dropped',
      dropped: counts.reduce((sum, [, count]) => sum + count, 0),
      total: this.#total,
    });
  }
}
