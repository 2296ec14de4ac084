import { onAbort, sharedAbortController } from '../../core/abort.js';
import { EngineAnswerError } from '../../core/errors.js';
import { isServerError, meansReadOnly } from './engine-errors.js';
import type { MysqlClient, Statement } from './mysql-client.js';

/** Where a connection comes from. */
export interface ConnectionHome {
  /** Others use its connections too, and may have left them in any state. */
  readonly isShared: boolean;
  /** It may be used by others. */
  giveBack(connection: MysqlConnection): void;
  /** It is not needed any more. */
  end(): void;
  /** It is of no use any more; nothing more must be sent over it. */
  destroy(): void;
}

/** A row as the server has sent it. */
export type TextRow<Column extends string> = Readonly<Record<Column, string | null>>;

/** What a statement that returns no rows has done. */
export interface Written {
  /** Rows that it has changed; none of ours leaves a row that it has found as it was. */
  readonly affectedRows: number;
  /** What `LAST_INSERT_ID(…)` was given; 0: it was not called. */
  readonly insertId: bigint;
}

interface OkAnswer {
  readonly affectedRows?: unknown;
  readonly insertId?: unknown;
  readonly serverStatus?: unknown;
}

/** Bits of the status that the server sends with each answer. */
const IN_TRANSACTION = 1;
const AUTOCOMMIT = 2;

/** Says nothing but in which state the connection is. */
const NOTHING = 'DO 0';

/** One connection, for one user at a time. It ends with the first statement that has not come to its end. */
export class MysqlConnection {
  readonly #ending = sharedAbortController();
  readonly #onError = (error: unknown) => this.destroy(error);
  readonly #onEnd = () => this.destroy(new Error('The connection was closed'));
  #onFree: () => void = () => undefined;

  constructor(
    private readonly client: MysqlClient,
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

  /** What a statement has found: as it is now, not as a transaction has seen it that somebody has left open. */
  async rows<Column extends string>(sql: string, signal: AbortSignal): Promise<TextRow<Column>[]> {
    if (this.home.isShared) await this.write(NOTHING, signal);
    const rows = await this.#send(sql, signal);
    if (!Array.isArray(rows)) throw new EngineAnswerError('query', 'there are no rows in it');
    return rows as TextRow<Column>[];
  }

  /** What a statement has done, which is then committed. */
  async write(sql: string, signal: AbortSignal): Promise<Written> {
    const { affectedRows, insertId, serverStatus } = (await this.#send(sql, signal)) as OkAnswer;
    this.#assertCommitted(Number(serverStatus));
    return { affectedRows: Number(affectedRows), insertId: exact(insertId) };
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

  /** When the signal aborts it rejects, and the connection is destroyed: nothing tells how far the statement has come. */
  async #send(sql: string, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    this.ended.throwIfAborted();
    return new Promise((resolve, reject) => {
      const unlisten = onAbort(signal, () => {
        reject(signal.reason);
        this.destroy(signal.reason);
      });
      const onFailed = (error: unknown) => {
        // Where a name leads to the primary, it may lead to another server by now.
        if (!isServerError(error) || error.fatal === true || meansReadOnly(error)) this.destroy(error);
        reject(error);
      };
      this.client
        .query(asText(sql))
        .finally(unlisten)
        .then(([answer]) => resolve(answer), onFailed);
    });
  }

  #finish(reason: unknown): boolean {
    if (this.ended.aborted) return false;
    this.#ending.abort(reason);
    this.keep();
    return true;
  }

  /** In a transaction that somebody has left open nothing is committed, and what is read is old. */
  #assertCommitted(status: number): void {
    if ((status & AUTOCOMMIT) !== 0 && (status & IN_TRANSACTION) === 0) return;
    const error = new Error(
      'The pool has handed out a connection inside of a transaction, or without autocommit. Commit before you release ' +
        'connections, and leave autocommit on.',
    );
    this.destroy(error);
    throw error;
  }
}

function asText(sql: string): Statement {
  return { sql, rowsAsArray: false, nestTables: false, typeCast: (field) => field.string() };
}

/** @throws EngineAnswerError when the client has rounded it */
function exact(insertId: unknown): bigint {
  if (typeof insertId === 'string' && /^\d+$/.test(insertId)) return BigInt(insertId);
  if (typeof insertId === 'number' && Number.isSafeInteger(insertId)) return BigInt(insertId);
  throw new EngineAnswerError('query', `the number ${String(insertId)} in it is not exact`);
}
