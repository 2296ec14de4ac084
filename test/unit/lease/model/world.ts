import { setImmediate as nextTurn } from 'node:timers';

/** Something that happens at a time. */
export interface Happening {
  readonly at: number;
  /** Breaks ties in the order of scheduling. */
  readonly order: number;
  /** Runs no code that waits for promises, so there is nothing to let come to rest after it. */
  readonly quiet: boolean;
  readonly run: () => void | Promise<void>;
  cancelled: boolean;
}

/**
 * True time, in milliseconds, which nobody in the model can read. It jumps from one happening to the next; all that one
 * sets off by promises runs before the next one.
 */
export class World {
  #now = 0;
  #order = 0;
  /** A binary heap, the next one first. */
  readonly #heap: Happening[] = [];

  constructor(private readonly afterEach: () => void) {}

  get now(): number {
    return this.#now;
  }

  at(time: number, run: () => void | Promise<void>, quiet = false): Happening {
    const happening = { at: Math.max(time, this.#now), order: this.#order++, quiet, run, cancelled: false };
    this.#push(happening);
    return happening;
  }

  /** Until that time, or until `done`. */
  async run(until: number, done: () => boolean = () => false): Promise<void> {
    while (!done()) {
      const next = this.#heap[0];
      if (next === undefined || next.at > until) break;
      this.#pop();
      if (next.cancelled) continue;
      this.#now = next.at;
      const running = next.run();
      if (running !== undefined) await running;
      else if (!next.quiet) await this.settle();
      this.afterEach();
    }
    if (!done()) this.#now = Math.max(this.#now, until);
  }

  /** A turn of the event loop begins when no promise has anything left to run. */
  settle(): Promise<void> {
    return new Promise((resolve) => nextTurn(resolve));
  }

  #push(happening: Happening): void {
    const heap = this.#heap;
    let index = heap.push(happening) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(happening, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = happening;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(a: Happening, b: Happening): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}
