import { onAbort } from './abort.js';

/** Lets a number of users in at a time; the others wait in line. */
export class Slots {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** @returns what to call to leave; idempotent. Rejects when the signal aborts first. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const next = this.#line.shift();
      if (next === undefined) this.#free++;
      else next();
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        unlisten();
        resolve();
      };
      this.#line.push(enter);
      const unlisten = onAbort(signal, () => {
        this.#line.splice(this.#line.indexOf(enter), 1);
        reject(signal.reason);
      });
    });
  }
}
