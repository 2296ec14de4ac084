import { uptime } from 'node:os';
import { soon } from './microtask.js';

/**
 * Time as the library sees it: every timer and every reading of time goes through one, so that tests can own it.
 *
 * @publicApi
 */
export interface Clock {
  /** Monotonic time in milliseconds, from an arbitrary start. */
  now(): number;
  /** Wall-clock time in milliseconds since the epoch: for people, and beside the monotonic time to notice a pause. */
  wallNow(): number;
  /** Time since the host booted in milliseconds, which goes on while the host sleeps. Optional, and may be slow. */
  bootNow?(): number;
  /**
   * Calls `callback` once, after `delayMs` milliseconds.
   *
   * @param options.background the timer alone does not keep the process alive. @default false
   * @returns a function that cancels the timer; idempotent.
   */
  setTimer(callback: () => void, delayMs: number, options?: { readonly background?: boolean }): () => void;
}

/** Node rejects longer timers by firing them at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The real time. @publicApi */
export const systemClock: Clock = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  bootNow: () => uptime() * 1000,
  setTimer(callback, delayMs, options) {
    const timer = setTimeout(callback, Math.min(delayMs, MAX_TIMER_MS));
    if (options?.background) timer.unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Waits. Resolves `true` after `delayMs` (at once when that is 0 or less), or `false` as soon as `signal` aborts; never rejects.
 */
export function delay(
  clock: Clock,
  delayMs: number,
  signal?: AbortSignal,
  options?: { readonly background?: boolean },
): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  if (delayMs <= 0) return Promise.resolve(true);
  return new Promise((resolve) => {
    const cancel = clock.setTimer(() => finish(true), delayMs, options);
    const onAbort = () => finish(false);
    const finish = (elapsed: boolean) => {
      cancel();
      signal?.removeEventListener('abort', onAbort);
      resolve(elapsed);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Whether `promise` settles within `limitMs`. Leaves no timer behind, and never rejects. */
export function settlesWithin(
  clock: Pick<Clock, 'setTimer'>,
  promise: Promise<unknown>,
  limitMs: number,
  options?: { readonly background?: boolean },
): Promise<boolean> {
  return new Promise((resolve) => {
    let cancel: (() => void) | undefined;
    const settle = () => {
      cancel?.();
      resolve(true);
    };
    // Ahead of the limit: what has settled already is in time, also where no time is left.
    promise.then(settle, settle);
    if (limitMs > 0) cancel = clock.setTimer(() => resolve(false), limitMs, options);
    else soon(() => resolve(false));
  });
}
