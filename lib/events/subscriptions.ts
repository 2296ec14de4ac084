import { BufferedSubscription } from './buffered-subscription.js';

/** The live subscriptions by event name. */
export class Subscriptions {
  readonly #byName = new Map<string, Set<BufferedSubscription<unknown>>>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** A subscription that is live from now until it ends. */
  open<T>(name: string, capacity: number, onDropped: () => void): BufferedSubscription<T> {
    const subscription = new BufferedSubscription<unknown>(capacity, onDropped, () => this.#remove(name, subscription));
    const sameName = this.#byName.get(name);
    if (sameName === undefined) this.#byName.set(name, new Set([subscription]));
    else sameName.add(subscription);
    this.#count++;
    return subscription as BufferedSubscription<T>;
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  push(name: string, payload: unknown): void {
    const sameName = this.#byName.get(name);
    if (sameName === undefined) return;
    for (const subscription of sameName) subscription.push(payload);
  }

  endAll(): void {
    for (const sameName of this.#byName.values()) for (const subscription of sameName) subscription.end();
  }

  #remove(name: string, subscription: BufferedSubscription<unknown>): void {
    const sameName = this.#byName.get(name);
    if (!sameName?.delete(subscription)) return;
    this.#count--;
    if (sameName.size === 0) this.#byName.delete(name);
  }
}
