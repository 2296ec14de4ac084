import { quoted } from './lease-table.js';

/** On which all replicas are told, and tell, that a lease was released. */
export const CHANNEL = 'nestjs_lifecycle_lease';

/** All statements about leases, each complete in itself: between two of them a pooler may change the connection. */
export interface LeaseStatements {
  /** $1 name */
  readonly read: string;
  /** $1 name, $2 highest token known, $3 holder, $4 identity, $5 address, $6 lease in ms, $7 not after */
  readonly insert: string;
  /** As `insert`, and of the basis: $8 kind, $9 token, $10 version, $11 holder */
  readonly takeOver: string;
  /** $1 name, $2 token, $3 holder, $4 lease in ms, $5 not after */
  readonly renew: string;
  /** $1 name, $2 token or null, $3 holder */
  readonly release: string;
  /** As `release`, and unlocks: $4 idle_session_timeout from before */
  readonly releaseAndUnlock: string;
  /** $1 name, $2 process, $3 idle_session_timeout in ms */
  readonly lock: string;
  /** As `takeOver`, if the lock is free: $12 process, $13 idle_session_timeout in ms */
  readonly lockAndTakeOver: string;
}

const END_OF_LEASE = (parameter: string) => `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`;
const ENGINE_CLOCK_US = `floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`;
const OWN = 'name = $1 AND token = $2::bigint AND holder = $3';
/** Whether this is not carried out later than anybody waits for it. */
const IN_TIME = (parameter: string) => `(${parameter}::bigint IS NULL OR ${ENGINE_CLOCK_US} <= ${parameter}::bigint)`;

export function leaseStatements(table: string): LeaseStatements {
  const leases = quoted(table);
  return { ...rowStatements(leases), ...releaseStatements(leases), ...lockStatements(leases) };
}

function rowStatements(leases: string): Pick<LeaseStatements, 'read' | 'insert' | 'takeOver' | 'renew'> {
  return {
    read: `SELECT pg_is_in_recovery() AS standby, holder, identity, address, token::text, version::text,
  lease_ms::float8 AS "leaseMs", extract(epoch FROM expires_at - clock_timestamp())::float8 * 1000 AS "remainingMs",
  ${ENGINE_CLOCK_US}::text AS "clockUs"
FROM (SELECT 1) AS always LEFT JOIN ${leases} ON name = $1`,
    insert: `INSERT INTO ${leases} (name, token, holder, identity, address, lease_ms, expires_at, version)
SELECT $1::text, greatest($2::bigint + 1, ${ENGINE_CLOCK_US}), $3::text, $4::text, $5::text, $6::float8,
  ${END_OF_LEASE('$6')}, 1
WHERE ${IN_TIME('$7')}
ON CONFLICT DO NOTHING RETURNING token::text, version::text`,
    takeOver: `WITH basis AS (${basisIn(`${leases} AS lease`)}) ${takeOverOf(leases)}`,
    // Changes no key, so that it does not wait for fenced transactions. One that is late is told apart from one that is
    // not ours: a clock that jumps makes it look late, and must not end the term.
    renew: `UPDATE ${leases} SET expires_at = CASE WHEN in_time THEN ${END_OF_LEASE('$4')} ELSE expires_at END,
  lease_ms = $4::float8, version = version + in_time::int
FROM (SELECT ${IN_TIME('$5')} AS in_time) AS request
WHERE ${OWN}
RETURNING version::text, in_time AS "inTime", pg_backend_pid() AS pid, ${ENGINE_CLOCK_US}::text AS "clockUs"`,
  };
}

/**
 * What is taken over. SKIP LOCKED: whoever holds the row now has a fenced transaction that is not over, or is taking the
 * lease. Waiting for that could outlast the request, and win when nobody is there any more.
 */
function basisIn(tables: string): string {
  return `
  SELECT name FROM ${tables} WHERE name = $1
    AND CASE WHEN holder = '' THEN 'released' WHEN expires_at <= clock_timestamp() THEN 'vacant' ELSE 'held' END = $8
    AND ($9::bigint IS NULL OR token = $9::bigint) AND ($10::bigint IS NULL OR version = $10::bigint)
    AND ($11::text IS NULL OR holder = $11) AND ${IN_TIME('$7')}
  FOR UPDATE OF lease SKIP LOCKED
`;
}

function takeOverOf(leases: string): string {
  return `UPDATE ${leases} AS lease SET token = greatest(lease.token + 1, $2::bigint + 1, ${ENGINE_CLOCK_US}),
  holder = $3, identity = $4, address = $5, lease_ms = $6::float8, expires_at = ${END_OF_LEASE('$6')},
  version = lease.version + 1
FROM basis WHERE lease.name = basis.name RETURNING lease.token::text, lease.version::text`;
}

function releaseStatements(leases: string): Pick<LeaseStatements, 'release' | 'releaseAndUnlock'> {
  const released = `WITH released AS (
  UPDATE ${leases} SET holder = '', address = NULL, expires_at = clock_timestamp(), version = version + 1
  WHERE name = $1 AND ($2::bigint IS NULL OR token = $2::bigint) AND holder = $3 RETURNING name, token
)`;
  const notified = `(SELECT count(pg_notify('${CHANNEL}', token || ' ' || name)) FROM released) AS released`;
  return {
    release: `${released} SELECT ${notified}`,
    // The lock is free before the rivals can see the release.
    releaseAndUnlock: `${released} SELECT pg_advisory_unlock(${lockKey(leases)}) AS unlocked,
  set_config('idle_session_timeout', $4, false), ${notified}`,
  };
}

function lockStatements(leases: string): Pick<LeaseStatements, 'lock' | 'lockAndTakeOver'> {
  const idle = (parameter: string) =>
    `CASE WHEN locked THEN set_config('idle_session_timeout', ${parameter}, false) END`;
  return {
    lock: `WITH lock AS MATERIALIZED (${lockOf(leases, '$2')}) SELECT pid, locked, idle, ${idle('$3')} FROM lock`,
    lockAndTakeOver: `WITH lock AS MATERIALIZED (${lockOf(leases, '$12')}),
basis AS (${basisIn(`lock JOIN ${leases} AS lease ON lock.locked`)}),
taken AS (${takeOverOf(leases)})
SELECT pid, locked, idle, token, version, ${idle('$13')} FROM lock LEFT JOIN taken ON true`,
  };
}

/** Not through a pooler, where the lock would belong to a connection that others use too. */
function lockOf(leases: string, processId: string): string {
  return `
  SELECT pg_backend_pid() AS pid, current_setting('idle_session_timeout') AS idle,
    CASE WHEN pg_backend_pid() = ${processId}::int THEN pg_try_advisory_lock(${lockKey(leases)}) ELSE false END AS locked
`;
}

/** By the table's number: tables of the same name in two schemas are two tables. */
function lockKey(leases: string): string {
  return `hashtextextended($1, '${leases}'::regclass::oid::bigint)`;
}
