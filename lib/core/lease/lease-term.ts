import type { Clock } from '../clock.js';
import { ElectionTerm } from '../election-term.js';

/** The local time at which a request was sent, on every clock that there is. */
export interface SentAt {
  readonly monotonic: number;
  readonly wall: number;
  /** Goes on while the host sleeps. Too slow to read at every check. */
  readonly boot: number | undefined;
}

export function sentNow(clock: Clock): SentAt {
  return { monotonic: clock.now(), wall: clock.wallNow(), boot: clock.bootNow?.() };
}

/** The largest of the differences: a clock may stand still while the host sleeps, or be set back. */
export function elapsedBetween(from: SentAt, to: SentAt): number {
  const bootMs = from.boot === undefined || to.boot === undefined ? 0 : to.boot - from.boot;
  return Math.max(to.monotonic - from.monotonic, to.wall - from.wall, bootMs);
}

/** Whose term it is. */
export interface TermDetails {
  readonly election: string;
  readonly identity: string;
  readonly fencingToken: bigint;
}

/** Some hosts count their uptime in whole seconds: less than that between two clocks is no sleep. */
const BOOT_RESOLUTION_MS = 1000;

/**
 * A term that ends by itself: valid until a deadline, counted from the moment at which the last acknowledged request
 * was sent. The first read past it ends the term for good, whatever is acknowledged later, so that it holds after a
 * pause of the process, when no timer has fired yet.
 *
 * Leases with a deadline of the holder's own: C. Gray, D. Cheriton, "Leases: An Efficient Fault-Tolerant Mechanism for
 * Distributed File Cache Consistency", 1989.
 */
export class LeaseTerm extends ElectionTerm {
  #sentAt: SentAt;
  #cancelTimer: () => void = () => undefined;

  /** @param sentAt when the request was sent that won the lease. The answer may have taken too long: ask `isValid()` */
  constructor(
    details: TermDetails,
    sentAt: SentAt,
    private readonly deadlineMs: number,
    private readonly clock: Clock,
  ) {
    super(details);
    this.#sentAt = sentAt;
    if (this.#sleptPastDeadline()) this.end('the host slept past the deadline');
    else this.#watchDeadline();
  }

  /** Milliseconds until the deadline, whether or not the term has ended. Asking changes nothing. */
  get remainingMs(): number {
    const { monotonic, wall } = this.#sentAt;
    // The larger of two differences: a clock that stands still, or is set back, must not lengthen a term.
    return this.deadlineMs - Math.max(this.clock.now() - monotonic, this.clock.wallNow() - wall);
  }

  override isValid(): boolean {
    if (this.signal.aborted) return false;
    if (this.remainingMs > 0) return true;
    this.end('no renewal was acknowledged before the deadline');
    return false;
  }

  /**
   * A request that was sent at that time was acknowledged. Changes nothing when the term has ended, or should have:
   * past its deadline somebody else may have led meanwhile, so it ends instead.
   */
  extend(sentAt: SentAt): void {
    if (!this.isValid()) return;
    if (this.#sleptPastDeadline()) {
      this.end('the host slept past the deadline');
      return;
    }
    this.#sentAt = sentAt;
    this.#watchDeadline();
  }

  /** Ends the term for good and aborts its signal in this tick. Only the first call counts. */
  override end(why: string, options?: ErrorOptions): void {
    this.#cancelTimer();
    super.end(why, options);
  }

  #watchDeadline(): void {
    this.#cancelTimer();
    // Timers may fire early by a fraction; then there is a rest to wait for.
    const check = () => (this.isValid() ? this.#watchDeadline() : undefined);
    this.#cancelTimer = this.clock.setTimer(check, Math.max(1, this.remainingMs), { background: true });
  }

  #sleptPastDeadline(): boolean {
    const since = this.#sentAt;
    const boot = this.clock.bootNow?.();
    if (boot === undefined || since.boot === undefined) return false;
    const elapsedMs = boot - since.boot;
    const sleptMs = elapsedMs - (this.clock.now() - since.monotonic);
    return sleptMs > BOOT_RESOLUTION_MS && elapsedMs >= this.deadlineMs;
  }
}
