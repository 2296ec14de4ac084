/** Below this many used-up slots, compacting costs more than it frees. */
const COMPACT_FROM = 64;

/** A queue that takes from its front in constant time, and costs nothing while it is empty. */
export class Fifo<T extends object> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  peek(): T | undefined {
    return this.#items[this.#head];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) this.clear();
    else if (this.#head >= COMPACT_FROM && this.#head * 2 >= this.#items.length) this.#compact();
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}
