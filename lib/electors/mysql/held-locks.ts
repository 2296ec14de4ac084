import { onAbort, sharedAbortController } from '../../core/abort.js';
import { backoffMs } from '../../core/backoff.js';
import { delay } from '../../core/clock.js';
import { requestInTime } from '../../core/lease/lease-requests.js';
import type { LockStatements } from './lock-statements.js';
import type { MysqlConnection } from './mysql-connection.js';
import type { HintSettings } from './release-hints.js';

/** A network that has forgotten a connection tells nobody; until it is noticed, hand-over is as fast as the poll. */
const PING_MS = 30_000;
const RETRIES = { initialMs: 50, maxMs: 5000 };

/** A term that is led here. */
interface Term {
  readonly token: bigint;
  /** Aborted when it is not any more. */
  readonly over: AbortController;
}

/** The locks of the terms that are led here, all on one connection, which is opened again when it breaks. */
export class HeldLocks {
  readonly #terms = new Map<string, Term>();
  readonly #closing = sharedAbortController();
  #opening: Promise<MysqlConnection> | undefined;
  #connection: MysqlConnection | undefined;

  constructor(
    private readonly statements: LockStatements,
    private readonly settings: HintSettings,
  ) {}

  hold(name: string, token: bigint): void {
    this.#terms.get(name)?.over.abort();
    const term = { token, over: sharedAbortController() };
    this.#terms.set(name, term);
    void this.#take(name, term);
  }

  /** Aborted when the term of that name that is led here is over; `undefined`: none is. */
  overOf(name: string): AbortSignal | undefined {
    return this.#terms.get(name)?.over.signal;
  }

  /** Never rejects: when the connection breaks, the server lets go. */
  async letGo(name: string): Promise<void> {
    const term = this.#terms.get(name);
    if (term === undefined) return;
    this.#terms.delete(name);
    term.over.abort();
    try {
      if (this.#connection !== undefined) await this.#letGoOn(this.#connection, name, term);
    } catch {
      // It has been destroyed with what failed.
    }
    this.#leaveIfUnused();
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The elector was closed'));
    this.#terms.forEach(({ over }) => over.abort());
    this.#terms.clear();
    await this.#opening?.catch(() => undefined);
    this.#leaveIfUnused();
  }

  /** Until it has it, or does not need it any more. Never rejects: that a hint is missing is not worth a word. */
  async #take(name: string, term: Term): Promise<void> {
    const over = term.over.signal;
    for (let failures = 0; !over.aborted; failures++) {
      try {
        if (await this.#tryFor(name, term)) break;
      } catch {
        // Tried again, on another connection.
      }
      await delay(this.settings.clock, backoffMs(failures, RETRIES, Math.random()), over, { background: true });
    }
    this.#leaveIfUnused();
  }

  /** A follower has it for a moment when it has waited before there was anything to wait for. */
  async #tryFor(name: string, term: Term): Promise<boolean> {
    const connection = await this.#opened();
    if (term.over.signal.aborted) return true;
    const sql = this.statements.take(name, term.token);
    const [row] = await this.#inTime((signal) => connection.rows<'got'>(sql, signal));
    // What comes after it on the same connection has let it go, if it was not too early for that.
    if (term.over.signal.aborted) await this.#letGoOn(connection, name, term);
    return row?.got === '1';
  }

  async #letGoOn(connection: MysqlConnection, name: string, { token }: Term): Promise<void> {
    const sql = this.statements.letGo(name, token);
    await this.#inTime((signal) => connection.write(sql, signal));
  }

  #opened(): Promise<MysqlConnection> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<MysqlConnection> {
    try {
      const connection = await this.#inTime((signal) => this.settings.connections.take(signal));
      connection.keep();
      this.#connection = connection;
      onAbort(connection.ended, () => this.#onEnded());
      void this.#keepAlive(connection);
      return connection;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  #onEnded(): void {
    this.#opening = undefined;
    this.#connection = undefined;
    for (const [name, term] of this.#terms) void this.#take(name, term);
  }

  async #keepAlive(connection: MysqlConnection): Promise<void> {
    while (await delay(this.settings.clock, PING_MS, connection.ended, { background: true })) {
      await this.#inTime((signal) => connection.write('DO 0', signal)).catch((error) => connection.destroy(error));
    }
  }

  /** A pool is not robbed of a connection for nothing. One that may have locks does not go back to where others get it. */
  #leaveIfUnused(): void {
    if (this.#terms.size === 0) this.#connection?.end();
  }

  #inTime<T>(send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, requestTimeoutMs } = this.settings;
    return requestInTime(clock, { operation: 'lock', timeoutMs: requestTimeoutMs, send });
  }
}
