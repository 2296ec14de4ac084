type Outcome<T> = { readonly value: T } | { readonly reason: unknown };

/**
 * A promise that is settled from outside; the first call decides. It never becomes an unhandled rejection. The promise
 * is made for those who ask for it: of what thousands of components could be waited for, most never is.
 */
export class Deferred<T> {
  #promise: Promise<T> | undefined;
  #resolvers: { readonly resolve: (value: T) => void; readonly reject: (reason: unknown) => void } | undefined;
  #outcome: Outcome<T> | undefined;

  get promise(): Promise<T> {
    return (this.#promise ??= this.#create());
  }

  get isSettled(): boolean {
    return this.#outcome !== undefined;
  }

  resolve(value: T): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = { value };
    this.#resolvers?.resolve(value);
  }

  reject(reason: unknown): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = { reason };
    this.#promise?.catch(() => undefined);
    this.#resolvers?.reject(reason);
  }

  #create(): Promise<T> {
    const outcome = this.#outcome;
    if (outcome === undefined) return new Promise((resolve, reject) => (this.#resolvers = { resolve, reject }));
    if ('value' in outcome) return Promise.resolve(outcome.value);
    const rejected = Promise.reject<T>(outcome.reason);
    rejected.catch(() => undefined);
    return rejected;
  }
}
