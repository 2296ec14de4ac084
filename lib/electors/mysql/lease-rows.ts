import { randomUUID } from 'node:crypto';
import { EngineAnswerError, EngineStandbyError } from '../../core/errors.js';
import type { EngineClock } from '../../core/lease/engine-clock.js';
import type {
  AcquireResult,
  LeaseClaim,
  LeaseRecord,
  LeaseToRelease,
  OwnLease,
  RenewResult,
} from '../../core/lease/lease-store.js';
import { isDuplicate } from './engine-errors.js';
import { LeaseStatements, type Timed } from './lease-statements.js';
import { mysqlLeaseTableSql } from './lease-table.js';
import type { TextRow } from '../../core/connections/borrowed-connection.js';
import type { MysqlConnection } from './mysql-connection.js';

/** What was read of an election; all of the row's columns are null when it has none. */
type ReadRow = TextRow<
  'isReadOnly' | 'holder' | 'identity' | 'address' | 'token' | 'version' | 'leaseMs' | 'remainingUs' | 'clockUs'
>;

/** The table of leases: what can be asked of it over one connection, in one statement each. */
export class LeaseRows {
  readonly #statements: LeaseStatements;

  constructor(
    readonly table: string,
    private readonly namespace: string,
    private readonly engineClock: EngineClock,
  ) {
    this.#statements = new LeaseStatements(table);
  }

  /** The row's name. */
  nameOf(election: string): string {
    return `${this.namespace}/${election}`;
  }

  /** A request that begins now. */
  timed<T extends object>(request: T): Timed<T> {
    return { ...request, notAfter: this.engineClock.notAfter() };
  }

  /** However many do it at once. */
  async create(connection: MysqlConnection, signal: AbortSignal): Promise<void> {
    await connection.write(mysqlLeaseTableSql({ table: this.table }), signal);
  }

  async read(connection: MysqlConnection, election: string, signal: AbortSignal): Promise<LeaseRecord> {
    return recordOf(await this.#row(connection, election, signal));
  }

  async acquire(connection: MysqlConnection, claim: Timed<LeaseClaim>, signal: AbortSignal): Promise<AcquireResult> {
    const name = this.nameOf(claim.election);
    const { basis } = claim;
    const statement =
      basis.kind === 'absent' ? this.#statements.insert(name, claim) : this.#statements.takeOver(name, claim, basis);
    try {
      const { affectedRows, insertId } = await connection.write(statement, signal);
      if (affectedRows !== 1) return { won: false };
      return { won: true, token: insertId > 0n ? insertId : await this.#tokenOf(connection, claim, signal) };
    } catch (error) {
      if (isDuplicate(error)) return { won: false };
      throw error;
    }
  }

  /**
   * One that is late is told apart from one that is not ours: a clock that jumps makes it look late, and must not end the
   * term.
   *
   * @throws when it was carried out too late, or the server's clock has jumped
   */
  async renew(connection: MysqlConnection, lease: Timed<OwnLease>, signal: AbortSignal): Promise<RenewResult> {
    const { election, holder, token } = lease;
    const ask = () => connection.write(this.#statements.renew(this.nameOf(election), lease), signal);
    const { affectedRows } = await this.engineClock.learn(ask, ({ insertId }) =>
      insertId > 0n ? insertId : undefined,
    );
    if (affectedRows === 1) return { renewed: true };
    const row = await this.#row(connection, election, signal);
    if (row.holder !== holder || row.token !== String(token)) return { renewed: false, record: recordOf(row) };
    throw new Error(
      `The server's clock says that a renewal of election "${election}" came too late. It is tried again.`,
    );
  }

  async release(connection: MysqlConnection, lease: LeaseToRelease, signal: AbortSignal): Promise<void> {
    await connection.write(this.#statements.release(this.nameOf(lease.election), lease), signal);
  }

  /** What taking over and releasing do, and nothing changes: nobody is of that name, and no token is negative. */
  async rehearse(connection: MysqlConnection, election: string, signal: AbortSignal): Promise<void> {
    const name = this.nameOf(election);
    const nobody = { election, holder: randomUUID(), identity: '', leaseMs: 1, notAfter: undefined };
    const basis = { kind: 'released', token: -1n } as const;
    await connection.write(this.#statements.takeOver(name, { ...nobody, basis, tokenAbove: 0n }, basis), signal);
    await connection.write(this.#statements.release(name, { holder: nobody.holder }), signal);
  }

  /** Where the answer does not tell it: it does not on MariaDB when there is a trigger. */
  async #tokenOf(connection: MysqlConnection, { election, holder }: LeaseClaim, signal: AbortSignal): Promise<bigint> {
    const row = await this.#row(connection, election, signal);
    if (row.holder === holder && row.token !== null) return BigInt(row.token);
    throw new EngineAnswerError('acquire', 'the lease was won, and is somebody else’s');
  }

  /** @throws EngineStandbyError: a replica lags behind, and cannot be written to */
  async #row(connection: MysqlConnection, election: string, signal: AbortSignal): Promise<ReadRow> {
    const sql = this.#statements.read(this.nameOf(election));
    const ask = () => connection.rows<keyof ReadRow>(sql, signal);
    const [row] = await this.engineClock.learn(ask, clockOf);
    if (row === undefined) throw new EngineAnswerError('read', 'there is no row in it');
    if (isOff(row.isReadOnly)) return row;
    const error = new EngineStandbyError('MySQL');
    // Where a name leads to the primary, it may lead to another server by now.
    connection.destroy(error);
    throw error;
  }
}

function recordOf(row: ReadRow): LeaseRecord {
  const { holder } = row;
  if (row.token === null) return { kind: 'absent' };
  const last = { token: BigInt(row.token), version: columnOf(row.version) };
  if (holder === null) return { kind: 'released', ...last };
  const remainingMs = Number(row.remainingUs) / 1000;
  if (remainingMs <= 0) return { kind: 'vacant', ...last };
  return {
    kind: 'held',
    holder,
    identity: columnOf(row.identity),
    leaseMs: Number(row.leaseMs),
    remainingMs,
    ...last,
    ...(row.address !== null && { address: row.address }),
  };
}

/** Of a column that is never null. */
function columnOf(value: string | null): string {
  return value ?? '';
}

/** Of a setting of the server, which is a number or, in later versions of MariaDB, a word. */
export function isOff(setting: string | null): boolean {
  return setting === '0' || setting === 'OFF';
}

/** The server's time, which an answer may tell. */
function clockOf([row]: { readonly clockUs: string | null }[]): bigint | undefined {
  return typeof row?.clockUs === 'string' ? BigInt(row.clockUs) : undefined;
}
