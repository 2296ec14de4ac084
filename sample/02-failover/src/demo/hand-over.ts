/**
 * How long nobody did the work of the leader: from the moment before the signal is sent to the moment in which the demo
 * hears that the component of the next leader runs. One clock, and the way of the message counts too.
 */
export class HandOver {
  #begun: { readonly signal: string; readonly at: number } | undefined;
  #last: string | undefined;

  /** What the last one was, or that one is under way. */
  get text(): string {
    if (this.#begun === undefined) return this.#last ?? 'none yet';
    return `${Math.round(performance.now() - this.#begun.at)} ms since ${this.#begun.signal}, and nobody has taken over`;
  }

  get pending(): boolean {
    return this.#begun !== undefined;
  }

  begin(signal: string): void {
    this.#begun = { signal, at: performance.now() };
  }

  cancel(): void {
    this.#begun = undefined;
  }

  /** Returns what it was, if one was under way. */
  end(): string | undefined {
    if (this.#begun === undefined) return undefined;
    this.#last = `${(performance.now() - this.#begun.at).toFixed(1)} ms after ${this.#begun.signal}`;
    this.#begun = undefined;
    return this.#last;
  }
}
