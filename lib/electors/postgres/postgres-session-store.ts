import { EngineRefusalError } from '../../core/errors.js';
import type { AcquireResult, LeaseClaim, LeaseToRelease, OwnLease, RenewResult } from '../../core/lease/lease-store.js';
import type { TextRow } from '../../core/connections/borrowed-connection.js';
import { isMissingTable } from './engine-errors.js';
import { acquireResultOf, type AcquireRow, type Timed } from './lease-rows.js';
import type { PostgresConnection } from './postgres-connection.js';
import { NO_TABLE, PostgresLeaseStore, type StoreParts } from './postgres-lease-store.js';

/** When the server ends the session of a holder that has fallen silent. */
export interface SessionStoreParts extends StoreParts {
  readonly idleSessionTimeoutMs: number;
}

/** One that has the lock of an election. */
interface Session {
  readonly connection: PostgresConnection;
  /** Its `idle_session_timeout` from before: somebody else will use it. */
  readonly idle: string | null;
}

type LockRow<Column extends string = never> = TextRow<Column | 'pid' | 'locked' | 'idle'>;

/**
 * Leases as rows, and for each of them a lock that lives as long as the session of its holder.
 *
 * Safe for the reasons for which rows alone are, since the lock can only forbid: the row is taken, renewed and given back
 * as ever, and in addition whoever takes or renews it must have the lock. The row cannot be taken before the last
 * acknowledged renewal of the holder, which was carried out after it was sent, is a whole lease old, and by then the work
 * of the holder has settled, whatever became of its session: a connection that was reset frees the lock at once, while
 * its holder still leads. What the lock adds is a second opinion, independent of clocks: as long as the server has the
 * holder's session, nobody leads beside it, not even when the server's clock jumps or the row is lost. The server ends
 * that session by itself when it has heard nothing for `idleSessionTimeoutMs`, before the row runs out, so that the lock
 * of one that hangs is in nobody's way.
 *
 * Nobody waits for the lock: a statement that waits keeps the server from cleaning up rows.
 */
export class PostgresSessionStore extends PostgresLeaseStore {
  /** By election. */
  readonly #sessions = new Map<string, Session>();
  readonly #idleSessionTimeoutMs: number;

  constructor(parts: SessionStoreParts) {
    super(parts);
    this.#idleSessionTimeoutMs = parts.idleSessionTimeoutMs;
  }

  override acquire(claim: LeaseClaim, signal: AbortSignal): Promise<AcquireResult> {
    const { election } = claim;
    const timed = this.parts.rows.timed(claim);
    return this.explaining(async () => {
      try {
        // There is a session already when an attempt has won and its answer came too late.
        const session = this.#sessionOf(election);
        if (session === undefined && claim.basis.kind !== 'absent') return await this.#lockAndTakeOver(timed, signal);
        const connection = session ?? (await this.#lock(election, signal));
        if (connection === undefined) return { won: false };
        return await this.#acquireOn(connection, timed, signal);
      } catch (error) {
        if (!isMissingTable(error)) throw error;
        return NO_TABLE;
      }
    });
  }

  override renew(lease: OwnLease, signal: AbortSignal): Promise<RenewResult> {
    const timed = this.parts.rows.timed(lease);
    return this.explaining(async () => {
      try {
        return await this.#renew(timed, signal);
      } catch (error) {
        if (!isMissingTable(error)) throw error;
        this.#endSession(lease.election);
        return { renewed: false };
      }
    });
  }

  override async release(lease: LeaseToRelease, signal: AbortSignal): Promise<void> {
    const { rows } = this.parts;
    const connection = this.#sessionOf(lease.election);
    const idle = this.#sessions.get(lease.election)?.idle ?? null;
    if (connection === undefined) return super.release(lease, signal);
    await this.explaining(async () => {
      try {
        const isAsBefore = await rows.releaseAndUnlock(connection, lease, idle, signal);
        this.#sessions.delete(lease.election);
        if (isAsBefore) connection.giveBack();
        else connection.end();
        this.released();
      } catch (error) {
        this.#endSession(lease.election);
        if (!isMissingTable(error)) throw error;
      }
    });
  }

  protected override async rehearseOn(
    connection: PostgresConnection,
    election: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { rows } = this.parts;
    // No process has that number, so that nothing is locked, and nothing is taken over.
    const claim = [rows.nameOf(election), '0', '', '', null, 1, null, 'none', null, null, null];
    await connection.query(rows.statements.lockAndTakeOver, [...claim, 0, null], signal);
    await super.rehearseOn(connection, election, signal);
  }

  override async close(): Promise<void> {
    await super.close();
    for (const election of [...this.#sessions.keys()]) this.#endSession(election);
  }

  /** In one statement: a hand-over waits for it. The session lives on only when the lease was won. */
  async #lockAndTakeOver(claim: Timed<LeaseClaim>, signal: AbortSignal): Promise<AcquireResult> {
    const { rows } = this.parts;
    const values = rows.valuesOf(claim);
    const row = await this.#lockBy<keyof AcquireRow>(claim.election, rows.statements.lockAndTakeOver, values, signal);
    const result = acquireResultOf(row);
    if (!result.won) this.#endSession(claim.election);
    return result;
  }

  /** The session lives on only when the lease was won. */
  async #acquireOn(
    connection: PostgresConnection,
    claim: Timed<LeaseClaim>,
    signal: AbortSignal,
  ): Promise<AcquireResult> {
    let isWon = false;
    try {
      const result = await this.parts.rows.acquire(connection, claim, signal);
      isWon = result.won;
      return result;
    } finally {
      if (!isWon) connection.end();
    }
  }

  async #renew(lease: Timed<OwnLease>, signal: AbortSignal): Promise<RenewResult> {
    const { election } = lease;
    // A session that has ended takes its lock with it. The lease may still be ours.
    const connection = this.#sessionOf(election) ?? (await this.#lock(election, signal));
    if (connection === undefined) return this.#renewUnlocked(lease, signal);
    const renewal = await this.parts.rows.renew(connection, lease, signal);
    if (renewal === undefined) {
      this.#endSession(election);
      return { renewed: false };
    }
    if (renewal.pid !== connection.processId) throw this.#refusePooler(election);
    return { renewed: true, version: renewal.version };
  }

  /** Another session has the lock: mostly our own, which the server has not given up yet. The lease may still be ours. */
  async #renewUnlocked(lease: OwnLease, signal: AbortSignal): Promise<RenewResult> {
    const record = await super.read(lease.election, signal);
    if (record.kind === 'held' && record.holder === lease.holder && record.token === lease.token) {
      throw new Error(`Another session has the lock of election "${lease.election}". It is tried for again.`);
    }
    return { renewed: false, record };
  }

  /** `undefined`: another session has the lock. */
  async #lock(election: string, signal: AbortSignal): Promise<PostgresConnection | undefined> {
    const { rows } = this.parts;
    const row = await this.#lockBy(election, rows.statements.lock, [rows.nameOf(election)], signal);
    return row && this.#sessionOf(election);
  }

  /** @returns the statement's row, and the connection is the session that has the lock; nothing: another one has it */
  async #lockBy<Column extends string>(
    election: string,
    statement: string,
    values: unknown[],
    signal: AbortSignal,
  ): Promise<LockRow<Column> | undefined> {
    const connection = await this.parts.connections.take(signal);
    try {
      const session = [connection.processId ?? null, String(this.#idleSessionTimeoutMs)];
      const [row] = await connection.query<keyof LockRow<Column>>(statement, [...values, ...session], signal);
      if (Number(row?.pid) !== connection.processId) throw this.#refusePooler(election);
      if (row?.locked !== 't') {
        connection.giveBack();
        return undefined;
      }
      connection.keep();
      this.#sessions.set(election, { connection, idle: row.idle });
      return row;
    } catch (error) {
      // It may have got the lock before the statement failed: a lock outlives its statement.
      connection.end();
      throw error;
    }
  }

  #sessionOf(election: string): PostgresConnection | undefined {
    const connection = this.#sessions.get(election)?.connection;
    return connection?.ended.aborted === true ? undefined : connection;
  }

  #endSession(election: string): void {
    this.#sessions.get(election)?.connection.end();
    this.#sessions.delete(election);
  }

  #refusePooler(election: string): EngineRefusalError {
    this.#endSession(election);
    return new EngineRefusalError(
      `Election "${election}" has no session of its own: there is a pooler (pgbouncer?) between here and PostgreSQL. ` +
        "crashDetection: 'session' needs a direct connection. Connect to PostgreSQL itself, or leave the option out.",
    );
  }
}
