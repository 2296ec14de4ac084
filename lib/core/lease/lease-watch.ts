import { backoffMs } from '../backoff.js';
import { delay } from '../clock.js';
import type { LeaseContext } from './lease-context.js';
import type { LeaseStore } from './lease-store.js';

/** Told by a watch that the lease may have become free. */
export type OnHint = Parameters<NonNullable<LeaseStore['watch']>>[1];

/**
 * Keeps a watch open until the campaign ends, and opens it again, with backoff, when it breaks or ends by itself. Never
 * rejects. Resolves late, or never, when the engine's client ignores its signal: do not wait for it.
 */
export async function watchLease(context: LeaseContext, onHint: OnHint): Promise<void> {
  const { election, voice, store, options, signal } = context;
  const { clock, random, timing } = options;
  const limits = { initialMs: timing.retryMs, maxMs: timing.leaseMs };
  for (let failures = 0; !signal.aborted && store.watch !== undefined; failures++) {
    const openedAt = clock.now();
    try {
      await store.watch(election, onHint, signal);
    } catch (error) {
      if (!signal.aborted) voice.failed('watch', error);
    }
    if (clock.now() - openedAt > limits.maxMs) failures = 0;
    await delay(clock, backoffMs(failures, limits, random()), signal, { background: true });
  }
}
