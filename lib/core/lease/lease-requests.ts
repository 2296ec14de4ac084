import { onAbort } from '../abort.js';
import type { Clock } from '../clock.js';
import { RequestTimeoutError } from '../errors.js';

/** How one request is sent. */
export interface LeaseRequest<T> {
  readonly operation: string;
  readonly timeoutMs: number;
  /** Ends the request early, when nobody needs its answer any more. */
  readonly cut?: AbortSignal;
  readonly send: (signal: AbortSignal) => Promise<T>;
}

/**
 * Sends one request, in this tick, that ends in time whatever the engine's client does: its signal aborts, and an answer
 * that comes later is dropped. No timer is left behind.
 *
 * @throws RequestTimeoutError; the reason of `cut`; what the request threw, also when it threw at once
 */
export async function requestInTime<T>(clock: Clock, { operation, timeoutMs, cut, send }: LeaseRequest<T>): Promise<T> {
  cut?.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const control = new AbortController();
    const giveUp = (reason: unknown) => {
      finish();
      reject(reason);
      control.abort(reason);
    };
    const onTimeout = () => giveUp(new RequestTimeoutError(operation, timeoutMs));
    const cancelTimer = clock.setTimer(onTimeout, timeoutMs, { background: true });
    const unlisten = cut === undefined ? undefined : onAbort(cut, () => giveUp(cut.reason));
    const finish = () => {
      cancelTimer();
      unlisten?.();
    };
    // A client may throw at once, or answer something that is no promise.
    const answer = new Promise<T>((settle) => settle(send(control.signal)));
    answer.finally(finish).then(resolve, reject);
  });
}
