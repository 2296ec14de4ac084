import { onAbort } from '../core/abort.js';
import type { EventSubscription } from './event-subscription.js';
import { Fifo } from './fifo.js';

const DONE: IteratorReturnResult<void> = { value: undefined, done: true };

/** The bus's side of a subscription: filled synchronously, runs no code of the reader. */
export class BufferedSubscription<T> implements EventSubscription<T> {
  readonly #unread = new Fifo<IteratorYieldResult<T>>();
  /** Reads that wait for an event; only while nothing is unread. */
  readonly #readers: ((result: IteratorResult<T, void>) => void)[] = [];
  #signal: AbortSignal | undefined;
  #forgetSignal: () => void = () => undefined;
  #ended = false;
  #dropped = 0;

  constructor(
    readonly capacity: number,
    private readonly onDropped: () => void,
    private readonly onEnded: () => void,
  ) {}

  get depth(): number {
    return this.#unread.length;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Hands a payload to the reader, or keeps it; when full, the oldest unread one goes: late news is better than old. */
  push(value: T): void {
    if (this.#ended) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) return reader({ value, done: false });
    this.#unread.push({ value, done: false });
    if (this.#unread.length <= this.capacity) return;
    this.#unread.shift();
    this.#dropped++;
    this.onDropped();
  }

  /** From now on, an abort of `signal` ends the subscription; at once if it already has. */
  endOn(signal: AbortSignal): void {
    this.#signal = signal;
    this.#forgetSignal = onAbort(signal, () => this.#discard());
  }

  /** Nothing more will come; what is unread can still be read. Idempotent. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#forgetSignal();
    this.onEnded();
    for (const reader of this.#readers.splice(0)) reader(DONE);
  }

  next(): Promise<IteratorResult<T, void>> {
    // Once it has ended nobody listens to the signal any more.
    if (this.#signal?.aborted) this.#discard();
    const unread = this.#unread.shift();
    if (unread !== undefined) return Promise.resolve(unread);
    if (this.#ended) return Promise.resolve(DONE);
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  return(): Promise<IteratorResult<T, void>> {
    this.#discard();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #discard(): void {
    this.end();
    this.#unread.clear();
  }
}
