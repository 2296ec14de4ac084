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
import { diagnoseMysql } from './diagnosis.js';
import { explained, isMissingTable, type TableSettings } from './engine-errors.js';
import type { LeaseRows } from './lease-rows.js';
import type { MysqlConnection } from './mysql-connection.js';
import type { ReleaseHints } from './release-hints.js';

/** What a store works with. */
export interface StoreParts {
  readonly rows: LeaseRows;
  readonly settings: TableSettings;
  readonly connections: Connections<MysqlConnection>;
  readonly hints: ReleaseHints | undefined;
  /** The pool has none to spare for hints. */
  readonly lacksConnections: boolean;
  readonly requestTimeoutMs: number;
}

/**
 * Leases as rows of a table, judged by the server's clock. Each call is one statement in a transaction of its own; an
 * election's lock beside it only tells rivals of a release.
 */
export class MysqlLeaseStore implements LeaseStore {
  readonly watch?: NonNullable<LeaseStore['watch']>;

  constructor(private readonly parts: StoreParts) {
    const { hints, rows } = parts;
    if (hints === undefined) return;
    this.watch = (election, onHint, signal) =>
      this.#explaining(() => hints.watch(rows.nameOf(election), onHint, signal));
  }

  async read(election: string, signal: AbortSignal): Promise<LeaseRecord> {
    const { rows, settings, hints } = this.parts;
    const name = rows.nameOf(election);
    // Who leads does not read.
    void hints?.letGo(name);
    const mayCreate = (error: unknown) => settings.createTable && isMissingTable(error);
    const read = (connection: MysqlConnection) => readOrCreate(rows, { connection, election, signal, mayCreate });
    const record = await this.#explaining(() => this.#onConnection(read, signal));
    hints?.noteRead(name, record.kind === 'held' ? record.token : undefined);
    return record;
  }

  async acquire(claim: LeaseClaim, signal: AbortSignal): Promise<AcquireResult> {
    const { rows, hints } = this.parts;
    const timed = rows.timed(claim);
    // It was there a moment ago. The next read creates it, or says what to do.
    const noTable: AcquireResult = { won: false, record: { kind: 'absent' } };
    const result = await this.#unlessMissing((it) => rows.acquire(it, timed, signal), noTable, signal);
    if (result.won) hints?.hold(rows.nameOf(claim.election), result.token);
    return result;
  }

  async renew(lease: OwnLease, signal: AbortSignal): Promise<RenewResult> {
    const { rows, hints } = this.parts;
    const timed = rows.timed(lease);
    const result = await this.#unlessMissing((it) => rows.renew(it, timed, signal), { renewed: false }, signal);
    if (!result.renewed) void hints?.letGo(rows.nameOf(lease.election));
    return result;
  }

  async release(lease: LeaseToRelease, signal: AbortSignal): Promise<void> {
    const { rows, hints } = this.parts;
    await this.#unlessMissing((it) => rows.release(it, lease, signal), undefined, signal);
    await hints?.letGo(rows.nameOf(lease.election));
  }

  async rehearse(election: string, signal: AbortSignal): Promise<void> {
    await this.#unlessMissing((it) => this.parts.rows.rehearse(it, election, signal), undefined, signal);
  }

  diagnose(): Promise<Diagnosis[]> {
    return diagnoseMysql(this.parts);
  }

  async close(): Promise<void> {
    const { hints, connections } = this.parts;
    await Promise.all([hints?.close(), connections.close()]);
  }

  /** Where there is no table, there is nothing to be done either. */
  async #unlessMissing<T>(
    run: (connection: MysqlConnection) => Promise<T>,
    missing: T,
    signal: AbortSignal,
  ): Promise<T> {
    return this.#explaining(async () => {
      try {
        return await this.#onConnection(run, signal);
      } catch (error) {
        if (!isMissingTable(error)) throw error;
        return missing;
      }
    });
  }

  #onConnection<T>(run: (connection: MysqlConnection) => Promise<T>, signal: AbortSignal): Promise<T> {
    return runOnce(this.parts.connections, run, signal);
  }

  async #explaining<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw explained(error, this.parts.settings);
    }
  }
}
