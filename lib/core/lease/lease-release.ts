import { delay } from '../clock.js';
import type { LeaseContext } from './lease-context.js';
import { requestInTime } from './lease-requests.js';
import type { LeaseToRelease } from './lease-store.js';
import { sentNow, type SentAt } from './lease-term.js';

/**
 * Gives a lease back, in as many attempts as there is time for within one request's; what is not released runs out by
 * itself. Never rejects.
 *
 * @returns when the request was sent that was acknowledged, if one was
 */
export async function releaseLease(
  { voice, store, options }: LeaseContext,
  lease: LeaseToRelease,
): Promise<SentAt | undefined> {
  const { clock, timing, random } = options;
  const endsAt = clock.now() + timing.requestTimeoutMs;
  for (let pauseMs = 0; ; pauseMs = timing.retryMs * (0.5 + random() / 2)) {
    await delay(clock, pauseMs);
    const sentAt = sentNow(clock);
    const timeoutMs = Math.max(1, endsAt - clock.now());
    try {
      await requestInTime(clock, { operation: 'release', timeoutMs, send: (signal) => store.release(lease, signal) });
      return sentAt;
    } catch (error) {
      if (voice.failed('release', error) || clock.now() + timing.retryMs >= endsAt) return undefined;
    }
  }
}
