import { systemClock, type Clock } from '../core/clock.js';
import { StallError } from '../core/errors.js';
import { currentRunContext } from '../core/run-context.js';
import { assertTrackerArguments, type HealthTrackerOptions } from './health-tracker-options.js';
import { InFlightList, type InFlight } from './in-flight-list.js';

/**
 * What `startProcessing()` returns, for `endProcessing()`.
 *
 * @publicApi
 */
export interface ProcessingHandle {
  /** When the processing started, in milliseconds of the tracker's clock. */
  readonly startedAt: number;
}

/**
 * Stall detection, to be asked by a component's `healthCheck()`. Two ways, alone or together: **activity**, for code
 * driven by a timer, and **processing**, for code driven by events, where being idle is healthy.
 *
 * Re-armed at each start by itself: when `check()` is called from a `healthCheck()`, what happened before the run
 * began does not count. So a tracker may be made long before its component is started, and lives through restarts.
 *
 * @publicApi
 */
export class HealthTracker {
  readonly #componentName: string;
  readonly #activityTimeoutMs: number | undefined;
  readonly #processingTimeoutMs: number | undefined;
  readonly #clock: Clock;
  readonly #inFlight = new InFlightList();
  #lastActivity: number;
  /** What happened earlier belongs to a run that is over. */
  #armedAt: number;

  /** @throws InvalidOptionError */
  constructor(componentName: string, options: HealthTrackerOptions) {
    assertTrackerArguments(componentName, options);
    this.#componentName = componentName;
    this.#activityTimeoutMs = options.activityTimeoutMs;
    this.#processingTimeoutMs = options.processingTimeoutMs;
    this.#clock = options.clock ?? systemClock;
    this.#lastActivity = this.#armedAt = this.#clock.now();
  }

  /**
   * @throws StallError that says what has stalled, and the limit: when nothing was recorded for longer
   *   than the activity timeout, or the oldest processing under way takes longer than the processing timeout.
   */
  check(): void {
    this.#armedAt = Math.max(this.#armedAt, currentRunContext()?.startedAt ?? this.#armedAt);
    const now = this.#clock.now();
    const silentMs = now - Math.max(this.#lastActivity, this.#armedAt);
    this.#assertWithin(this.#activityTimeoutMs, silentMs, 'no activity was recorded for longer than');
    this.#inFlight.removeBefore(this.#armedAt);
    const { oldest } = this.#inFlight;
    if (oldest === undefined) return;
    this.#assertWithin(this.#processingTimeoutMs, now - oldest.startedAt, 'processing one event takes longer than');
  }

  /** Says that the component is making progress: the timer fired, a poll came back. */
  recordActivity(): void {
    this.#lastActivity = this.#clock.now();
  }

  /**
   * Says that one piece of work has begun. Calls may overlap: the oldest one under way decides.
   *
   * @returns a handle to end exactly this one with
   */
  startProcessing(): ProcessingHandle {
    return this.#inFlight.add(this.#clock.now());
  }

  /**
   * Says that a piece of work is over, however it went. Idempotent: a handle that was ended already, comes from
   * another tracker or from before a re-arm does nothing.
   *
   * @param handle without one, the oldest under way is ended: meant for code that handles one event at a time. Where
   *   work overlaps, use handles or `track()`.
   */
  endProcessing(handle?: ProcessingHandle): void {
    const ended = (handle as InFlight | undefined) ?? this.#inFlight.oldest;
    if (ended !== undefined) this.#inFlight.remove(ended);
  }

  /**
   * Processing around a function, sync or async: ended when it returns, resolves, throws or rejects. Result and error
   * are passed on.
   */
  track<T>(fn: () => PromiseLike<T>): Promise<T>;
  track<T>(fn: () => T): T;
  track<T>(fn: () => T | PromiseLike<T>): T | Promise<T> {
    const handle = this.startProcessing();
    let result: T | PromiseLike<T>;
    try {
      result = fn();
      // Its `then` is called once: a query that runs whenever it is awaited would run twice.
      if (isThenable(result)) return Promise.resolve(result).finally(() => this.endProcessing(handle));
    } catch (error) {
      this.endProcessing(handle);
      throw error;
    }
    this.endProcessing(handle);
    return result;
  }

  /**
   * Forgets all activity and processing so far, as a start does. Only for trackers that are checked outside of a
   * `healthCheck()`.
   */
  rearm(): void {
    this.#armedAt = this.#clock.now();
    this.#inFlight.removeBefore(Number.POSITIVE_INFINITY);
  }

  #assertWithin(limitMs: number | undefined, elapsedMs: number, what: string): void {
    if (limitMs === undefined || elapsedMs <= limitMs) return;
    throw new StallError(this.#componentName, `${what} its limit of ${limitMs} ms`, elapsedMs);
  }
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
