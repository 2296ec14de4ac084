/** A promise that is settled from outside. It never becomes an unhandled rejection. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  resolve!: (value: T) => void;
  #reject!: (reason: unknown) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.#reject = reject;
    });
  }

  reject(reason: unknown): void {
    this.promise.catch(() => undefined);
    this.#reject(reason);
  }
}
