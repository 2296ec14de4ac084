import type { Clock } from './clock.js';
import { outsideOfRuns } from './run-context.js';

interface Waiting {
  readonly at: number;
  callback: (() => void) | undefined;
}

/**
 * Timers for many waits of the same length, on one timer of the clock for each length: of thousands of components that
 * start or stop at once, each has a limit, and hardly one of them is ever reached.
 */
export class PooledTimers implements Pick<Clock, 'setTimer'> {
  readonly #pools = new Map<number, TimerPool>();

  constructor(private readonly clock: Clock) {}

  /** As `Clock.setTimer()`, for timers that keep the process alive. `callback` must not throw. */
  setTimer(callback: () => void, delayMs: number): () => void {
    let pool = this.#pools.get(delayMs);
    if (pool === undefined) {
      pool = new TimerPool(this.clock, delayMs, () => this.#pools.delete(delayMs));
      this.#pools.set(delayMs, pool);
    }
    return pool.add(callback);
  }
}

/** Waits of one length, which end in the order in which they began. */
class TimerPool {
  /** In the order of their time, with some that were cancelled. */
  #waiting: Waiting[] = [];
  #live = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly delayMs: number,
    private readonly onEmpty: () => void,
  ) {}

  add(callback: () => void): () => void {
    const waiting: Waiting = { at: this.clock.now() + this.delayMs, callback };
    this.#waiting.push(waiting);
    this.#live++;
    this.#cancelTimer ??= this.#arm(this.delayMs);
    return () => void this.#take(waiting);
  }

  #elapse(): void {
    this.#cancelTimer = undefined;
    const now = this.clock.now();
    // Found before the first is called, which may begin new waits.
    const next = this.#waiting.findIndex((it) => it.callback !== undefined && it.at > now);
    const due = next < 0 ? this.#waiting : this.#waiting.slice(0, next);
    this.#waiting = next < 0 ? [] : this.#waiting.slice(next);
    const nextAt = this.#waiting[0]?.at;
    // A timer may fire a little early.
    if (nextAt !== undefined) this.#cancelTimer = this.#arm(Math.max(1, nextAt - now));
    for (const waiting of due) this.#take(waiting)?.();
  }

  /** One timer serves many, so what it calls must not pass for work of the run that happened to be the first. */
  #arm(delayMs: number): () => void {
    return outsideOfRuns(() => this.clock.setTimer(() => this.#elapse(), delayMs));
  }

  /** What is to be called, unless it was called or cancelled before. When nothing is left, the pool is done. */
  #take(waiting: Waiting): (() => void) | undefined {
    const { callback } = waiting;
    if (callback === undefined) return undefined;
    waiting.callback = undefined;
    if (--this.#live === 0) {
      this.#cancelTimer?.();
      this.onEmpty();
    }
    return callback;
  }
}
