import { onAbort } from '../core/abort.js';
import { Deferred } from '../core/deferred.js';

/** Those who wait for the same thing, each until its own signal aborts. Keeps nothing of those who have gone. */
export class Waiters<T> {
  readonly #waiting = new Set<Deferred<T>>();

  /** Rejects with the signal's reason when that aborts first. */
  async wait(signal?: AbortSignal): Promise<T> {
    const waiter = new Deferred<T>();
    this.#waiting.add(waiter);
    const unlisten = signal && onAbort(signal, () => waiter.reject(signal.reason));
    try {
      return await waiter.promise;
    } finally {
      unlisten?.();
      this.#waiting.delete(waiter);
    }
  }

  resolve(value: T): void {
    for (const waiter of this.#waiting) waiter.resolve(value);
  }

  reject(reason: unknown): void {
    for (const waiter of this.#waiting) waiter.reject(reason);
  }
}
