import { EngineRefusalError } from '../../core/errors.js';
import type { AcquireResult, LeaseClaim, LeaseToRelease, OwnLease, RenewResult } from '../../core/lease/lease-store.js';
import { isMissingTable } from './engine-errors.js';
import type { Timed } from './lease-rows.js';
import type { PostgresConnection } from './postgres-connection.js';
import { NO_TABLE, PostgresLeaseStore, type StoreParts } from './postgres-lease-store.js';

/** When the server ends the session of a holder that has fallen silent. */
export interface SessionStoreParts extends StoreParts {
  readonly idleSessionTimeoutMs: number;
}

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
  /** By election: the connection whose session has the lock. */
  readonly #sessions = new Map<string, PostgresConnection>();
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
        const connection = this.#sessionOf(election) ?? (await this.#lock(election, signal));
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
    if (connection === undefined) return super.release(lease, signal);
    await this.explaining(async () => {
      try {
        await rows.release(connection, lease, signal, rows.statements.releaseAndUnlock);
      } catch (error) {
        if (!isMissingTable(error)) throw error;
      }
      this.#endSession(lease.election);
    });
  }

  protected override async rehearseOn(
    connection: PostgresConnection,
    election: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { rows } = this.parts;
    // No process has that number, so that nothing is locked.
    await connection.query(rows.statements.lock, [rows.nameOf(election), 0, null], signal);
    await super.rehearseOn(connection, election, signal);
  }

  override async close(): Promise<void> {
    for (const election of [...this.#sessions.keys()]) this.#endSession(election);
    await super.close();
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
    const { connections, rows } = this.parts;
    const connection = await connections.take(signal);
    try {
      const values = [rows.nameOf(election), connection.processId ?? null, String(this.#idleSessionTimeoutMs)];
      const [row] = await connection.query<'pid' | 'locked'>(rows.statements.lock, values, signal);
      if (Number(row?.pid) !== connection.processId) throw this.#refusePooler(election);
      if (row?.locked !== 't') {
        connection.giveBack();
        return undefined;
      }
      connection.keep();
      this.#sessions.set(election, connection);
      return connection;
    } catch (error) {
      // It may have got the lock before the statement failed: a lock outlives its statement.
      connection.end();
      throw error;
    }
  }

  #sessionOf(election: string): PostgresConnection | undefined {
    const connection = this.#sessions.get(election);
    return connection?.ended.aborted === true ? undefined : connection;
  }

  #endSession(election: string): void {
    this.#sessions.get(election)?.end();
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
