import { sharedAbortController, untilAbort } from '../abort.js';

/** Where a connection comes from. */
export interface ConnectionHome {
  /** It may be used by others. */
  giveBack(): void;
  /** It is not needed any more. */
  end(): void;
  /** It is of no use any more; nothing more must be sent over it. */
  destroy(): void;
}

/** How a client tells what happens to its connection. */
export interface ListenedClient {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  removeListener(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** A row as the server has sent it: applications set parsers of their own, for all clients at once. */
export type TextRow<Column extends string> = Readonly<Record<Column, string | null>>;

/** A connection to a database, for one user at a time. It ends with the first statement that has not come to its end. */
export abstract class BorrowedConnection {
  readonly #ending = sharedAbortController();
  readonly #onError = (error: unknown) => this.destroy(error);
  readonly #onEnd = () => this.destroy(new Error('The connection was closed'));
  readonly #client: ListenedClient;
  readonly #home: ConnectionHome;
  #onFree: () => void = () => undefined;

  constructor(client: ListenedClient, home: ConnectionHome) {
    this.#client = client;
    this.#home = home;
    // Without a listener, a connection that drops while nothing is asked ends the process.
    client.on('error', this.#onError);
    client.on('end', this.#onEnd);
  }

  /** Aborted when the connection is of no use any more. */
  get ended(): AbortSignal {
    return this.#ending.signal;
  }

  /** It is in use. @param onFree called once when its user does not count as one any more */
  use(onFree: () => void): this {
    this.#onFree = onFree;
    if (this.ended.aborted) this.keep();
    return this;
  }

  /** It stays in use for long, and does not count among those that serve single statements. */
  keep(): void {
    const onFree = this.#onFree;
    this.#onFree = () => undefined;
    onFree();
  }

  /** Lets others have it. Does nothing when it has ended. */
  giveBack(): void {
    if (this.ended.aborted) return;
    this.keep();
    this.#home.giveBack();
  }

  /** For a client that goes back to a pool which has listeners of its own. */
  unlisten(): void {
    this.#client.removeListener('error', this.#onError);
    this.#client.removeListener('end', this.#onEnd);
  }

  /** Closes it in an orderly way. Does nothing when it has ended. */
  end(): void {
    if (this.#finish(new Error('The connection was not needed any more'))) this.#home.end();
  }

  /** Does nothing when it has ended. */
  destroy(reason: unknown): void {
    if (this.#finish(reason)) this.#home.destroy();
  }

  /**
   * The answer to one statement. When the signal aborts it rejects, and the connection is destroyed: nothing tells how far
   * the statement has come.
   *
   * @param endsIt whether the connection is of no use after that error
   */
  protected answerTo<T>(send: () => Promise<T>, endsIt: (error: unknown) => boolean, signal: AbortSignal): Promise<T> {
    const answer = send().catch((error: unknown) => {
      if (endsIt(error)) this.destroy(error);
      throw error;
    });
    return untilAbort(answer, signal, () => this.destroy(signal.reason));
  }

  #finish(reason: unknown): boolean {
    if (this.ended.aborted) return false;
    this.#ending.abort(reason);
    this.keep();
    return true;
  }
}
