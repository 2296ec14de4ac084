/**
 * A promise that is settled from outside; the first call decides. It never becomes an unhandled rejection. The promise
 * is made for those who ask for it: of what thousands of components could be waited for, most never is.
 */
export class Deferred<T> {
  #promise: Promise<T> | undefined;
  #resolvers: { readonly resolve: (value: T) => void; readonly reject: (reason: unknown) => void } | undefined;
  #settledAs: 'resolved' | 'rejected' | undefined;
  /** The value, or the reason. */
  #outcome: unknown;

  get promise(): Promise<T> {
    return (this.#promise ??= this.#create());
  }

  get isSettled(): boolean {
    return this.#settledAs !== undefined;
  }

  resolve(value: T): void {
    if (this.#settledAs !== undefined) return;
    this.#settledAs = 'resolved';
    this.#outcome = value;
    this.#resolvers?.resolve(value);
  }

  reject(reason: unknown): void {
    if (this.#settledAs !== undefined) return;
    this.#settledAs = 'rejected';
    this.#outcome = reason;
    this.#promise?.catch(() => undefined);
    this.#resolvers?.reject(reason);
  }

  #create(): Promise<T> {
    if (this.#settledAs === undefined) {
      return new Promise((resolve, reject) => (this.#resolvers = { resolve, reject }));
    }
    if (this.#settledAs === 'resolved') return Promise.resolve(this.#outcome as T);
    const rejected = Promise.reject<T>(this.#outcome);
    rejected.catch(() => undefined);
    return rejected;
  }
}
