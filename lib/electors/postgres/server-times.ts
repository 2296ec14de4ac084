import type { Clock } from '../../core/clock.js';

/** The server's time in µs, and when it was asked for. */
interface ServerTime {
  readonly us: bigint;
  readonly askedAt: number;
}

/**
 * What is known of the server's clock: enough to say until when a request of now is in time by it. One that was given up
 * may still wait in a network that was cut, or in a server that hangs, and must do nothing when it gets through.
 */
export class ServerTimes {
  #known: ServerTime | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly requestTimeoutMs: number,
  ) {}

  /** Runs a request whose answer tells the server's time. */
  async learn<T extends { readonly clockUs: string | null }>(ask: () => Promise<T[]>): Promise<T[]> {
    const askedAt = this.clock.now();
    const rows = await ask();
    const clockUs = rows[0]?.clockUs;
    if (typeof clockUs === 'string') this.#known = { us: BigInt(clockUs), askedAt };
    return rows;
  }

  /** By the server's clock in µs; `null` when its time is not known. */
  notAfter(): string | null {
    if (this.#known === undefined) return null;
    const laterMs = this.clock.now() - this.#known.askedAt + this.requestTimeoutMs;
    return String(this.#known.us + BigInt(Math.ceil(laterMs * 1000)));
  }
}
