import { onAbort } from '../../core/abort.js';
import type { ClientEvents } from './redis-client.js';

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly unlisten: () => void;
}

/** What is known of a client's connection from its events: the same ones for all clients. */
export class ConnectionState {
  readonly #waiting = new Set<Waiter>();
  readonly #lossListeners = new Set<(error: unknown) => void>();
  readonly #listeners: readonly (readonly [string, (...details: unknown[]) => void])[];
  #epoch = 0;

  constructor(
    private readonly client: ClientEvents,
    private readonly isReady: () => boolean,
  ) {
    const onLost = () => this.#onLost(new Error('The connection to Redis was lost.'));
    this.#listeners = [
      ['ready', () => this.#onReady()],
      // Without a listener an error event would end the process.
      ['error', (error: unknown) => this.#onError(error)],
      ['close', onLost],
      ['reconnecting', onLost],
      ['end', () => this.#onError(new Error('The connection to Redis is closed.'))],
    ];
    for (const [event, listener] of this.#listeners) client.on(event, listener);
  }

  /** Another number, another connection. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Resolves when commands can be written at once. @throws what keeps the client from connecting; the signal's reason */
  async untilReady(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    while (!this.isReady()) await this.#nextChange(signal);
  }

  /** Calls `listener` when the connection is lost. Returns what ends that. */
  onLoss(listener: (error: unknown) => void): () => void {
    this.#lossListeners.add(listener);
    return () => void this.#lossListeners.delete(listener);
  }

  /** Stops listening to the client. */
  detach(): void {
    for (const [event, listener] of this.#listeners) this.client.off(event, listener);
  }

  #nextChange(signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const unlisten = onAbort(signal, () => {
        this.#waiting.delete(waiter);
        reject(signal.reason);
      });
      const waiter: Waiter = { resolve, reject, unlisten };
      this.#waiting.add(waiter);
    });
  }

  #onReady(): void {
    this.#epoch++;
    for (const { resolve } of this.#taken()) resolve();
  }

  #onError(error: unknown): void {
    if (this.isReady()) return;
    for (const { reject } of this.#taken()) reject(error);
    this.#onLost(error);
  }

  #onLost(error: unknown): void {
    this.#epoch++;
    for (const listener of [...this.#lossListeners]) listener(error);
  }

  #taken(): Waiter[] {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const { unlisten } of waiting) unlisten();
    return waiting;
  }
}
