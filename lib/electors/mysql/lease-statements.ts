import type { LeaseClaim, LeaseRecord, LeaseToRelease, OwnLease } from '../../core/lease/lease-store.js';
import { quoted } from './lease-table.js';

/** Until when a request may be carried out, by the server's clock in µs: after that nobody waits for it any more. */
export type Timed<T> = T & { readonly notAfter: bigint | undefined };

const STARTED = 'UTC_TIMESTAMP(6)';
const EPOCH_TO = (time: string) => `TIMESTAMPDIFF(MICROSECOND, DATE '1970-01-01', ${time})`;
/**
 * How long the statement has run, in µs: SYSDATE() goes on while it waits for a row that somebody has locked, and
 * everything else shows when it began. Both are in the session's time zone, which does not matter to what is between them,
 * except while clocks are put forward or back: a statement that sees that is not carried out, and tried again.
 */
export const ELAPSED = 'TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6))';
const LONGEST_WAIT_US = 600_000_000;
const NOW_US = `(${EPOCH_TO(STARTED)} + ${ELAPSED})`;

/**
 * All statements about leases, each complete in itself and in a transaction of its own. Values stand in them in a form that
 * means the same in every SQL mode and character set. Whoever finds a row changes it, so that the number of rows is the same
 * whether a connection counts those that were found (mysql2 does by default) or those that were changed.
 */
export class LeaseStatements {
  readonly #leases: string;

  constructor(table: string) {
    this.#leases = quoted(table);
  }

  /** One row, also when there is no lease: the server and its time. */
  read(name: string): string {
    return `SELECT @@global.read_only AS isReadOnly, holder, identity, address, token, version, lease_ms AS leaseMs,
  TIMESTAMPDIFF(MICROSECOND, ${STARTED}, expires_at) AS remainingUs,
  ${EPOCH_TO(STARTED)} AS clockUs
FROM (SELECT 1 AS one) AS always LEFT JOIN ${this.#leases} ON name = ${text(name)}`;
  }

  /** The token, as `LAST_INSERT_ID()`. Fails with a duplicate key when there is a row. */
  insert(name: string, { holder, identity, address, leaseMs, tokenAbove, notAfter }: Timed<LeaseClaim>): string {
    return `INSERT INTO ${this.#leases} (name, token, holder, identity, address, lease_ms, expires_at, version)
SELECT ${text(name)}, LAST_INSERT_ID(GREATEST(${tokenAbove} + 1, ${NOW_US})), ${text(holder)}, ${text(identity)},
  ${text(address)}, ${number(leaseMs)}, ${endOf(leaseMs)}, 1
FROM DUAL WHERE ${inTime(notAfter)}`;
  }

  /** The token, as `LAST_INSERT_ID()`. */
  takeOver(name: string, claim: Timed<LeaseClaim>, basis: Exclude<LeaseRecord, { kind: 'absent' }>): string {
    const { holder, identity, address, leaseMs, tokenAbove, notAfter } = claim;
    return `UPDATE ${this.#leases} SET token = LAST_INSERT_ID(GREATEST(token + 1, ${tokenAbove} + 1, ${NOW_US})),
  holder = ${text(holder)}, identity = ${text(identity)}, address = ${text(address)}, lease_ms = ${number(leaseMs)},
  expires_at = ${endOf(leaseMs)}, version = version + 1
WHERE name = ${text(name)} AND ${conditionsOf(basis).join(' AND ')} AND ${inTime(notAfter)}`;
  }

  /** The server's time in µs, as `LAST_INSERT_ID()`. */
  renew(name: string, { holder, token, leaseMs, notAfter }: Timed<OwnLease>): string {
    return `UPDATE ${this.#leases} SET expires_at = ${endOf(leaseMs)}, version = version + 1,
  lease_ms = IF(LAST_INSERT_ID(${NOW_US}) > 0, ${number(leaseMs)}, 0)
WHERE name = ${text(name)} AND ${own(holder, token)} AND ${inTime(notAfter)}`;
  }

  release(name: string, { holder, token }: Pick<LeaseToRelease, 'holder' | 'token'>): string {
    return `UPDATE ${this.#leases} SET holder = NULL, address = NULL, expires_at = ${STARTED}, version = version + 1
WHERE name = ${text(name)} AND ${own(holder, token)}`;
  }
}

function own(holder: string, token: bigint | undefined): string {
  return token === undefined ? `holder = ${text(holder)}` : `token = ${token} AND holder = ${text(holder)}`;
}

/** When the statement began decides what has run out: what it has waited since only makes others wait longer. */
function conditionsOf(basis: Exclude<LeaseRecord, { kind: 'absent' }>): string[] {
  const { token, version } = basis;
  const conditions = {
    released: ['holder IS NULL'],
    vacant: ['holder IS NOT NULL', `expires_at <= ${STARTED}`],
    held: [`expires_at > ${STARTED}`],
  }[basis.kind];
  return [
    ...conditions,
    ...(basis.kind === 'held' ? [`holder = ${text(basis.holder)}`] : []),
    ...(token === undefined ? [] : [`token = ${token}`]),
    ...(version === undefined ? [] : [`version = ${BigInt(version)}`]),
  ];
}

/** Counted from when the statement has come to it: a later one never makes a lease shorter. */
function endOf(leaseMs: number): string {
  return `${STARTED} + INTERVAL (${ELAPSED} + ${Math.round(leaseMs * 1000)}) MICROSECOND`;
}

/** Whether this is not carried out later than anybody waits for it, waits for locks included. */
function inTime(notAfter: bigint | undefined): string {
  const isSane = `${ELAPSED} BETWEEN 0 AND ${LONGEST_WAIT_US}`;
  return notAfter === undefined ? isSane : `${isSane} AND ${NOW_US} <= ${notAfter}`;
}

/** No quotes that a mode could give another meaning, no character that a connection could translate. */
export function text(value: string | undefined): string {
  return value === undefined ? 'NULL' : `_utf8mb4 X'${Buffer.from(value, 'utf8').toString('hex')}'`;
}

/** @throws RangeError unless it is a number that SQL knows too */
function number(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is no number for a lease`);
  return String(value);
}
