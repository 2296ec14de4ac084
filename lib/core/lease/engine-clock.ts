import type { Clock } from '../clock.js';

/** The engine's time in µs, and when it was asked for. */
interface EngineTime {
  readonly us: bigint;
  readonly askedAt: number;
}

/**
 * What is known of an engine's clock: enough to say until when a request of now is in time by it. One that was given up
 * may still wait in a queue, in a network that was cut, or in an engine that hangs, and must do nothing when it gets
 * through.
 */
export class EngineClock {
  #known: EngineTime | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly requestTimeoutMs: number,
  ) {}

  /**
   * Runs a request whose answer tells the engine's time.
   *
   * @param usOf finds that in the answer, in µs; `undefined`: it was not told this time
   */
  async learn<T>(ask: () => Promise<T>, usOf: (answer: T) => bigint | undefined): Promise<T> {
    const askedAt = this.clock.now();
    const answer = await ask();
    const us = usOf(answer);
    if (us !== undefined) this.#known = { us, askedAt };
    return answer;
  }

  /** By the engine's clock in µs; `undefined` when its time is not known. */
  notAfter(): bigint | undefined {
    if (this.#known === undefined) return undefined;
    const laterMs = this.clock.now() - this.#known.askedAt + this.requestTimeoutMs;
    return this.#known.us + BigInt(Math.ceil(laterMs * 1000));
  }
}
