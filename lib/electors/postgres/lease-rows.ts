import { randomUUID } from 'node:crypto';
import { EngineAnswerError, EngineStandbyError } from '../../core/errors.js';
import type { EngineClock } from '../../core/lease/engine-clock.js';
import type { AcquireResult, LeaseClaim, LeaseRecord, LeaseToRelease, OwnLease } from '../../core/lease/lease-store.js';
import { leaseStatements, type LeaseStatements } from './lease-statements.js';
import { creationOf } from './lease-table.js';
import type { TextRow } from '../../core/connections/borrowed-connection.js';
import type { PostgresConnection } from './postgres-connection.js';

/** What was read of an election; all of the row's columns are null when it has none. */
type ReadRow = TextRow<
  'standby' | 'holder' | 'identity' | 'address' | 'token' | 'version' | 'leaseMs' | 'remainingMs' | 'clockUs'
>;

/** Until when a request may be carried out, by the server's clock in µs: after that nobody waits for it any more. */
export type Timed<T> = T & { readonly notAfter: string | null };

/** What was taken; nothing where there is no row, or no token in it. */
export type AcquireRow = TextRow<'token' | 'version'>;

type RenewRow = TextRow<'inTime' | 'version' | 'pid' | 'clockUs'>;

/** What a renewal has changed. */
export interface Renewal {
  readonly version: string;
  /** The server process that did it. */
  readonly pid: number;
}

/** The table of leases: what can be asked of it over one connection, in one statement each. */
export class LeaseRows {
  readonly statements: LeaseStatements;

  constructor(
    readonly table: string,
    private readonly namespace: string,
    private readonly engineClock: EngineClock,
  ) {
    this.statements = leaseStatements(table);
  }

  /** The row's name. */
  nameOf(election: string): string {
    return `${this.namespace}/${election}`;
  }

  /** A request that begins now. */
  timed<T extends object>(request: T): Timed<T> {
    return { ...request, notAfter: this.engineClock.notAfter()?.toString() ?? null };
  }

  async create(connection: PostgresConnection, signal: AbortSignal): Promise<void> {
    await connection.query(creationOf(this.table), [], signal);
  }

  /** @throws EngineStandbyError: a standby lags behind, and cannot be written to */
  async read(connection: PostgresConnection, election: string, signal: AbortSignal): Promise<LeaseRecord> {
    const values = [this.nameOf(election)];
    const ask = () => connection.query<keyof ReadRow>(this.statements.read, values, signal);
    const [row] = await this.engineClock.learn(ask, clockOf);
    if (row === undefined) throw new EngineAnswerError('read', 'there is no row in it');
    if (row.standby !== 't') return recordOf(row);
    const error = new EngineStandbyError('PostgreSQL');
    // Where a name leads to the primary, it may lead to another server by now.
    connection.destroy(error);
    throw error;
  }

  async acquire(connection: PostgresConnection, claim: Timed<LeaseClaim>, signal: AbortSignal): Promise<AcquireResult> {
    const { insert, takeOver } = this.statements;
    const statement = claim.basis.kind === 'absent' ? insert : takeOver;
    const [row] = await connection.query<keyof AcquireRow>(statement, this.valuesOf(claim), signal);
    return acquireResultOf(row);
  }

  /** What the statements that take a lease need. */
  valuesOf({
    election,
    tokenAbove,
    holder,
    identity,
    address,
    leaseMs,
    basis,
    notAfter,
  }: Timed<LeaseClaim>): unknown[] {
    const values = [this.nameOf(election), String(tokenAbove), holder, identity, address ?? null, leaseMs, notAfter];
    return basis.kind === 'absent' ? values : [...values, ...basisValues(basis)];
  }

  /** `undefined`: it is somebody else's. @throws when it was carried out too late, or the server's clock has jumped */
  async renew(
    connection: PostgresConnection,
    lease: Timed<OwnLease>,
    signal: AbortSignal,
  ): Promise<Renewal | undefined> {
    const { election, token, holder, leaseMs, notAfter } = lease;
    const values = [this.nameOf(election), String(token), holder, leaseMs, notAfter];
    const ask = () => connection.query<keyof RenewRow>(this.statements.renew, values, signal);
    const [row] = await this.engineClock.learn(ask, clockOf);
    if (row === undefined) return undefined;
    if (row.inTime === 'f') {
      throw new Error(
        `The server's clock says that a renewal of election "${election}" came too late. It is tried again.`,
      );
    }
    return { version: text(row.version), pid: Number(row.pid) };
  }

  /** What taking over and releasing do, and nothing changes: no row is in a state of that kind, nor anybody's of that name. */
  async rehearse(connection: PostgresConnection, election: string, signal: AbortSignal): Promise<void> {
    const { takeOver, release } = this.statements;
    const name = this.nameOf(election);
    const holder = randomUUID();
    const claim = [name, '0', holder, '', null, 1, null];
    await connection.query(takeOver, [...claim, 'none', null, null, null], signal);
    await connection.query(release, [name, '0', holder], signal);
  }

  async release(connection: PostgresConnection, lease: LeaseToRelease, signal: AbortSignal): Promise<void> {
    await connection.query(this.statements.release, this.#releaseValues(lease), signal);
  }

  /**
   * Gives back the session's lock as well.
   *
   * @param idle the session's `idle_session_timeout` from before it had the lock
   * @returns whether the session is as it was before
   */
  async releaseAndUnlock(
    connection: PostgresConnection,
    lease: LeaseToRelease,
    idle: string | null,
    signal: AbortSignal,
  ): Promise<boolean> {
    const values = [...this.#releaseValues(lease), idle];
    const [row] = await connection.query<'unlocked'>(this.statements.releaseAndUnlock, values, signal);
    // Not where the table is another one by now, and with it the lock.
    return row?.unlocked === 't';
  }

  #releaseValues({ election, token, holder }: LeaseToRelease): unknown[] {
    return [this.nameOf(election), token === undefined ? null : String(token), holder];
  }
}

export function acquireResultOf(row: AcquireRow | undefined): AcquireResult {
  if (row === undefined || row.token === null) return { won: false };
  return { won: true, token: BigInt(row.token), version: text(row.version) };
}

function basisValues(basis: Exclude<LeaseRecord, { kind: 'absent' }>): unknown[] {
  const { kind, token, version } = basis;
  return [
    kind,
    token === undefined ? null : String(token),
    version === undefined ? null : String(version),
    kind === 'held' ? basis.holder : null,
  ];
}

function recordOf(row: ReadRow): LeaseRecord {
  const { holder } = row;
  if (holder === null) return { kind: 'absent' };
  const last = { token: BigInt(text(row.token)), version: text(row.version) };
  if (holder === '') return { kind: 'released', ...last };
  const remainingMs = Number(row.remainingMs);
  if (remainingMs <= 0) return { kind: 'vacant', ...last };
  return {
    kind: 'held',
    holder,
    identity: text(row.identity),
    leaseMs: Number(row.leaseMs),
    remainingMs,
    ...last,
    ...(row.address !== null && { address: row.address }),
  };
}

/** Of a column that is never null. */
function text(value: string | null): string {
  return value ?? '';
}

/** The server's time, which an answer may tell. */
export function clockOf([row]: { readonly clockUs: string | null }[]): bigint | undefined {
  return typeof row?.clockUs === 'string' ? BigInt(row.clockUs) : undefined;
}
