import { onAbort } from '../abort.js';
import { delay, type Clock } from '../clock.js';

/** Pauses that a hint cuts short: the first hint at once, those that follow it closely only after a while. */
export class Wakeup {
  #hinted = false;
  #lastCutAt = Number.NEGATIVE_INFINITY;
  #endPause: () => void = () => undefined;

  /** @param minGapMs between two pauses that were cut short: a storm of hints must not become a storm of requests */
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
    const earliestAt = Math.min(endsAt, this.#lastCutAt + this.minGapMs);
    await delay(this.clock, earliestAt - this.clock.now(), signal, { background: true });
    this.#lastCutAt = this.clock.now();
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
