import { onAbort, sharedAbortController } from '../../core/abort.js';
import type { PostgresClient } from './postgres-client.js';

/** Where a connection comes from. */
export interface ConnectionHome {
  /** It may be used by others. */
  giveBack(connection: PostgresConnection): void;
  /** It is not needed any more. */
  end(): void;
  /** It is of no use any more; nothing more must be sent over it. */
  destroy(): void;
}

/** What was sent with NOTIFY. */
export interface Notification {
  readonly channel: string;
  readonly payload?: string;
}

/** A row as the server has sent it: applications set parsers of their own, for all clients at once. */
export type TextRow<Column extends string> = Readonly<Record<Column, string | null>>;

const AS_TEXT = { getTypeParser: () => (value: string) => value };

/** SQLSTATE: what the server says. Errors of the client and of the network have other codes, or none. */
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** The server has become a standby: whoever reconnects may find the new primary. */
const READ_ONLY = '25006';

/** One connection, for one user at a time. It ends with the first statement that has not come to its end. */
export class PostgresConnection {
  readonly #ending = sharedAbortController();
  readonly #onError = (error: unknown) => this.destroy(error);
  readonly #onEnd = () => this.destroy(new Error('The connection was closed'));
  #onFree: () => void = () => undefined;

  constructor(
    private readonly client: PostgresClient,
    private readonly home: ConnectionHome,
  ) {
    // Without a listener, a connection that drops while nothing is asked ends the process.
    client.on('error', this.#onError);
    client.on('end', this.#onEnd);
  }

  /** Aborted when the connection is of no use any more. */
  get ended(): AbortSignal {
    return this.#ending.signal;
  }

  /** The server process at the other end, by what was said when the connection was opened; a pooler makes one up. */
  get processId(): number | undefined {
    return this.client.processID ?? undefined;
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

  /**
   * One statement in a transaction of its own. When the signal aborts it rejects, and the connection is destroyed: nothing
   * tells how far the statement has come.
   */
  async query<Column extends string>(text: string, values: unknown[], signal: AbortSignal): Promise<TextRow<Column>[]> {
    signal.throwIfAborted();
    this.#assertAutocommit();
    return new Promise((resolve, reject) => {
      const unlisten = onAbort(signal, () => {
        reject(signal.reason);
        this.destroy(signal.reason);
      });
      const onFailed = (error: unknown) => {
        if (!isServerError(error) || error.code === READ_ONLY) this.destroy(error);
        reject(error);
      };
      this.client
        .query({ text, values, types: AS_TEXT })
        .finally(unlisten)
        .then(({ rows }) => resolve(rows as TextRow<Column>[]), onFailed);
    });
  }

  onNotification(listener: (message: Notification) => void): void {
    this.client.on('notification', (message) => listener(message as Notification));
  }

  /** Lets others have it. Does nothing when it has ended. */
  giveBack(): void {
    if (this.ended.aborted) return;
    this.keep();
    this.home.giveBack(this);
  }

  /** For a client that goes back to a pool which has listeners of its own. */
  unlisten(): void {
    this.client.removeListener('error', this.#onError);
    this.client.removeListener('end', this.#onEnd);
  }

  /** Closes it in an orderly way. Does nothing when it has ended. */
  end(): void {
    if (this.#finish(new Error('The connection was not needed any more'))) this.home.end();
  }

  /** Does nothing when it has ended. */
  destroy(reason: unknown): void {
    if (this.#finish(reason)) this.home.destroy();
  }

  #finish(reason: unknown): boolean {
    if (this.ended.aborted) return false;
    this.#ending.abort(reason);
    this.keep();
    return true;
  }

  /** A statement inside of a transaction that somebody has left open would be undone with it. */
  #assertAutocommit(): void {
    const status = this.client.getTransactionStatus?.() ?? 'I';
    if (status === 'I') return;
    const error = new Error(
      'The pool has handed out a client inside of a transaction. Commit before you release clients.',
    );
    this.destroy(error);
    throw error;
  }
}

export function isServerError(error: unknown): error is { readonly code: string } & Error {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && SQLSTATE.test(code) && (error as { severity?: unknown }).severity !== undefined;
}
