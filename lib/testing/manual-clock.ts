import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../core/clock.js';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** Turns of the event loop: a chain of components that start one after the other takes one for each. */
const TURNS_TO_SETTLE = 20;

/**
 * Time that stands still until it is told to move: timers fire in order, and what they set off runs before the next
 * one fires. It is the library's time, and that of what takes a `Clock`; a component's own `setTimeout` stays real.
 *
 * @publicApi
 */
export class ManualClock implements Clock {
  #now = 0;
  readonly #timers = new Set<Timer>();

  /** @param startAt the wall-clock time at the beginning, in milliseconds since the epoch. @default 0 */
  constructor(private readonly startAt = 0) {}

  /** How many timers are waiting. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  wallNow(): number {
    return this.startAt + this.#now;
  }

  setTimer(callback: () => void, delayMs: number): () => void {
    // As with `setTimeout`, what is no duration is none.
    const timer: Timer = { at: this.#now + (delayMs > 0 ? delayMs : 0), callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /**
   * Moves time forward, timer by timer: those that fall due are fired in the order of their times, then of their
   * setting, and timers that they set fall due as well. Resolves when what the last one set off has come to rest.
   *
   * @param byMs in milliseconds
   * @throws RangeError when that is no number of at least 0; what a timer throws
   */
  async advance(byMs: number): Promise<void> {
    if (!(byMs >= 0 && byMs < Infinity)) throw new RangeError(`Cannot advance by ${byMs} ms: time only moves forward.`);
    const target = this.#now + byMs;
    await this.settle();
    for (let timer = this.#next(target); timer !== undefined; timer = this.#next(target)) {
      this.#timers.delete(timer);
      // Another `advance()` may be under way.
      this.#now = Math.max(this.#now, timer.at);
      timer.callback();
      await this.settle();
    }
    this.#now = Math.max(this.#now, target);
  }

  /**
   * Lets everything run that waits for neither time nor the outside world: promises, `setImmediate`, `nextTick`, for 20
   * turns of the event loop.
   */
  async settle(): Promise<void> {
    for (let turn = 0; turn < TURNS_TO_SETTLE; turn++) await nextTurn();
  }

  #next(target: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.at <= target && timer.at < (next?.at ?? Infinity)) next = timer;
    return next;
  }
}
