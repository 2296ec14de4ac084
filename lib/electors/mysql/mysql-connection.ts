import { BorrowedConnection, type ConnectionHome, type TextRow } from '../../core/connections/borrowed-connection.js';
import { EngineAnswerError } from '../../core/errors.js';
import { isServerError, meansLeftLocked, meansReadOnly } from './engine-errors.js';
import type { MysqlClient, Statement } from './mysql-client.js';

/** Where a connection comes from. */
export interface MysqlHome extends ConnectionHome {
  /** Others use its connections too, and may have left them in any state. */
  readonly isShared: boolean;
}

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

/** One connection to MySQL. */
export class MysqlConnection extends BorrowedConnection {
  constructor(
    private readonly client: MysqlClient,
    private readonly home: MysqlHome,
  ) {
    super(client, home);
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

  async #send(sql: string, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    this.ended.throwIfAborted();
    const [answer] = await this.answerTo(() => this.client.query(asText(sql)), endsConnection, signal);
    return answer;
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

/** Where a name leads to the primary, it may lead to another server by now. */
function endsConnection(error: unknown): boolean {
  return !isServerError(error) || error.fatal === true || meansReadOnly(error) || meansLeftLocked(error);
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
