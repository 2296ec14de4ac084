import type { StatusSink } from './status-answer.js';

/** One open stream. Holds one unsent message at most, however slowly its client reads. */
export class StatusClient {
  #full = false;
  /** It has missed something, so that what is new is not enough any more. */
  #behind = false;
  #silentSince: number | undefined;

  constructor(
    private readonly sink: StatusSink,
    private readonly now: () => number,
    private readonly all: () => string,
  ) {
    sink.onDrain(() => this.#drained());
  }

  /** Since when it has not read, by the monotonic clock, while it does not. */
  get fullSince(): number | undefined {
    return this.#silentSince;
  }

  begin(): void {
    this.#write(`retry: 2000\n\n${this.all()}`);
  }

  tell(change: string): void {
    if (this.#full) this.#behind = true;
    else this.#write(change);
  }

  end(farewell: string): void {
    if (!this.#full) this.sink.write(farewell);
    this.sink.end();
  }

  destroy(): void {
    this.sink.destroy();
  }

  #drained(): void {
    this.#full = false;
    this.#silentSince = undefined;
    if (!this.#behind) return;
    this.#behind = false;
    this.#write(this.all());
  }

  #write(chunk: string): void {
    if (this.sink.write(chunk)) return;
    this.#full = true;
    this.#silentSince = this.now();
  }
}
