import { BorrowedConnection, type ConnectionHome, type TextRow } from '../../core/connections/borrowed-connection.js';
import type { PostgresClient } from './postgres-client.js';

/** What was sent with NOTIFY. */
export interface Notification {
  readonly channel: string;
  readonly payload?: string;
}

const AS_TEXT = { getTypeParser: () => (value: string) => value };

/** SQLSTATE: what the server says. Errors of the client and of the network have other codes, or none. */
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** The server has become a standby: whoever reconnects may find the new primary. */
const READ_ONLY = '25006';

/** One connection to PostgreSQL. */
export class PostgresConnection extends BorrowedConnection {
  constructor(
    private readonly client: PostgresClient,
    home: ConnectionHome,
  ) {
    super(client, home);
  }

  /** The server process at the other end, by what was said when the connection was opened; a pooler makes one up. */
  get processId(): number | undefined {
    return this.client.processID ?? undefined;
  }

  /**
   * One statement in a transaction of its own. When the signal aborts it rejects, and the connection is destroyed: nothing
   * tells how far the statement has come.
   */
  async query<Column extends string>(text: string, values: unknown[], signal: AbortSignal): Promise<TextRow<Column>[]> {
    signal.throwIfAborted();
    this.#assertAutocommit();
    const ask = () => this.client.query({ text, values, types: AS_TEXT });
    const { rows } = await this.answerTo(ask, endsConnection, signal);
    return rows as TextRow<Column>[];
  }

  onNotification(listener: (message: Notification) => void): void {
    this.client.on('notification', (message) => listener(message as Notification));
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

/** Where a name leads to the primary, it may lead to another server by now. */
function endsConnection(error: unknown): boolean {
  return !isServerError(error) || error.code === READ_ONLY;
}

export function isServerError(error: unknown): error is { readonly code: string } & Error {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && SQLSTATE.test(code) && (error as { severity?: unknown }).severity !== undefined;
}
