import { delay, type Clock } from '../../core/clock.js';
import type { Diagnosis } from '../../core/elector.js';
import type {
  AcquireResult,
  LeaseClaim,
  LeaseRecord,
  LeaseStore,
  LeaseToRelease,
  OwnLease,
  RenewResult,
} from '../../core/lease/lease-store.js';
import { runOnce, type Connections } from '../../core/connections/connections.js';
import { readOrCreate } from '../../core/connections/read-or-create.js';
import { diagnosePostgres } from './diagnosis.js';
import { explained, isMissingTable, type TableSettings } from './engine-errors.js';
import type { LeaseRows, Timed } from './lease-rows.js';
import type { Notifications } from './notifications.js';
import type { PostgresConnection } from './postgres-connection.js';

/** What a store works with. */
export interface StoreParts {
  readonly rows: LeaseRows;
  readonly settings: TableSettings;
  readonly connections: Connections<PostgresConnection>;
  readonly notifications: Notifications | undefined;
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
}

/**
 * Whoever takes over has right of way: for so long after a release no connection is ended. To end one costs a server 2 ms,
 * for a whole process of its goes, and the statement that takes the lease would wait for it where processors are few.
 */
const RIGHT_OF_WAY_MS = 25;

/** It was there a moment ago. The next read creates it, or says what to do. */
export const NO_TABLE: AcquireResult = { won: false, record: { kind: 'absent' } };

/**
 * Leases as rows of a table, judged by the server's clock. Each call is one statement in a transaction of its own, so
 * that a pooler may change the connection between two of them.
 */
export class PostgresLeaseStore implements LeaseStore {
  readonly watch?: NonNullable<LeaseStore['watch']>;
  #releasedAt = Number.NEGATIVE_INFINITY;

  constructor(protected readonly parts: StoreParts) {
    const { notifications, rows } = parts;
    if (notifications === undefined) return;
    this.watch = (election, onHint, signal) =>
      this.explaining(() => notifications.watch(rows.nameOf(election), onHint, signal));
  }

  read(election: string, signal: AbortSignal): Promise<LeaseRecord> {
    const { rows, settings } = this.parts;
    const mayCreate = (error: unknown) => settings.createTable && isMissingTable(error);
    const read = (connection: PostgresConnection) => readOrCreate(rows, { connection, election, signal, mayCreate });
    return this.explaining(() => this.#onConnection(read, signal));
  }

  acquire(claim: LeaseClaim, signal: AbortSignal): Promise<AcquireResult> {
    const timed = this.parts.rows.timed(claim);
    return this.explaining(() =>
      this.#onConnection((connection) => this.#acquireRow(connection, timed, signal), signal),
    );
  }

  async renew(lease: OwnLease, signal: AbortSignal): Promise<RenewResult> {
    const timed = this.parts.rows.timed(lease);
    return this.explaining(() =>
      this.#onConnection(async (connection) => {
        const renewal = await this.#renewRow(connection, timed, signal);
        return renewal === undefined ? { renewed: false } : { renewed: true, version: renewal.version };
      }, signal),
    );
  }

  async release(lease: LeaseToRelease, signal: AbortSignal): Promise<void> {
    await this.#unlessMissing((connection) => this.parts.rows.release(connection, lease, signal), signal);
    this.released();
  }

  protected released(): void {
    this.#releasedAt = this.parts.clock.now();
  }

  async rehearse(election: string, signal: AbortSignal): Promise<void> {
    await this.#unlessMissing((connection) => this.rehearseOn(connection, election, signal), signal);
  }

  protected rehearseOn(connection: PostgresConnection, election: string, signal: AbortSignal): Promise<void> {
    return this.parts.rows.rehearse(connection, election, signal);
  }

  diagnose(): Promise<Diagnosis[]> {
    return diagnosePostgres(this.parts);
  }

  async close(): Promise<void> {
    const { notifications, connections, clock } = this.parts;
    await delay(clock, this.#releasedAt + RIGHT_OF_WAY_MS - clock.now());
    await Promise.all([notifications?.close(), connections.close()]);
  }

  /** Where there is no table, there is nothing to be done either. */
  async #unlessMissing(run: (connection: PostgresConnection) => Promise<void>, signal: AbortSignal): Promise<void> {
    await this.explaining(async () => {
      try {
        await this.#onConnection(run, signal);
      } catch (error) {
        if (!isMissingTable(error)) throw error;
      }
    });
  }

  async #acquireRow(
    connection: PostgresConnection,
    claim: Timed<LeaseClaim>,
    signal: AbortSignal,
  ): Promise<AcquireResult> {
    try {
      return await this.parts.rows.acquire(connection, claim, signal);
    } catch (error) {
      if (!isMissingTable(error)) throw error;
      return NO_TABLE;
    }
  }

  /** `undefined`: the lease is not ours, be it that the whole table is gone. */
  async #renewRow(connection: PostgresConnection, lease: Timed<OwnLease>, signal: AbortSignal) {
    try {
      return await this.parts.rows.renew(connection, lease, signal);
    } catch (error) {
      if (!isMissingTable(error)) throw error;
      return undefined;
    }
  }

  #onConnection<T>(run: (connection: PostgresConnection) => Promise<T>, signal: AbortSignal): Promise<T> {
    return runOnce(this.parts.connections, run, signal);
  }

  protected async explaining<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw explained(error, this.parts.settings);
    }
  }
}
