import { onAbort } from '../abort.js';
import { delay, type Clock } from '../clock.js';

/**
 * Pauses that a hint cuts short. The first two at once: one comes when a watch is opened, and the lease may be released
 * right after that. Those that follow closely are one gap apart.
 */
export class Wakeup {
  #hinted = false;
  /** Each pause that was cut short is paid for by one gap; one may be owed. */
  #paidAt = Number.NEGATIVE_INFINITY;
  #endPause: () => void = () => undefined;

  /** @param minGapMs between two pauses that are cut short, on the whole: a storm of hints must not become a storm of requests */
  constructor(
    private readonly clock: Clock,
    private readonly minGapMs: number,
  ) {}

  /** A hint has come. Between two pauses it is kept for the next one. */
  wake(): void {
    this.#hinted = true;
    this.#endPause();
  }

  /** What is sent from now on will tell whatever a hint so far was about. */
  forget(): void {
    this.#hinted = false;
  }

  /** Resolves after `pauseMs`, earlier after a hint, at once when `signal` aborts. */
  async wait(pauseMs: number, signal: AbortSignal): Promise<void> {
    const endsAt = this.clock.now() + pauseMs;
    if (!this.#hinted) await this.#pause(pauseMs, signal);
    if (!this.#hinted) return;
    const earliestAt = Math.min(endsAt, this.#paidAt - this.minGapMs);
    await delay(this.clock, earliestAt - this.clock.now(), signal, { background: true });
    this.#paidAt = Math.max(this.clock.now(), this.#paidAt) + this.minGapMs;
  }

  #pause(pauseMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        this.#endPause = () => undefined;
        cancelTimer();
        unlisten();
        resolve();
      };
      const cancelTimer = this.clock.setTimer(end, pauseMs, { background: true });
      const unlisten = onAbort(signal, end);
      this.#endPause = end;
    });
  }
}
