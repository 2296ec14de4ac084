import { onAbort } from '../../core/abort.js';

/** One at a time, in the order in which they come. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves to what ends the turn, which may be called again. @throws the signal's reason, as soon as it aborts */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const before = this.#last;
    let leave: () => void = () => undefined;
    this.#last = new Promise((resolve) => (leave = resolve));
    try {
      await untilAbort(before, signal);
      return leave;
    } catch (error) {
      // Those behind still have to wait for those ahead.
      void before.then(leave);
      throw error;
    }
  }
}

function untilAbort(turn: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const unlisten = onAbort(signal, () => reject(signal.reason));
    void turn.then(() => {
      unlisten();
      resolve();
    });
  });
}
