import { InvalidOptionError } from '../../core/errors.js';

export const DEFAULT_TABLE = 'nestjs_lifecycle_leases';

/** Without "$", which would end the quotes of the statement that creates the table. */
const TABLE = /^(?:[A-Za-z_]\w{0,62}\.)?[A-Za-z_]\w{0,62}$/;

/** @throws InvalidOptionError unless absent, a table's name, or a schema's and a table's with a dot between */
export function assertTable(table: unknown, where: string): void {
  if (table === undefined || (typeof table === 'string' && TABLE.test(table))) return;
  throw new InvalidOptionError({
    option: 'table',
    value: table,
    where,
    expected: 'a name of letters, digits and "_", at most 63, with a schema before it or not: "leases", "infra.leases"',
    remedy: 'It is quoted as it is, so it is not folded to lower case.',
  });
}

/** The table's name as it stands in statements. */
export function quoted(table: string): string {
  return table
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');
}

/**
 * The statement that creates the table of leases, for teams that migrate by hand; with `createTable: false` nothing else
 * does. Run again it changes nothing.
 *
 * The application's role needs SELECT, INSERT and UPDATE on it. The rows must stay: in them tokens rise.
 *
 * @throws InvalidOptionError when the name is not one
 * @publicApi
 */
export function postgresLeaseTableSql({ table = DEFAULT_TABLE }: { readonly table?: string } = {}): string {
  assertTable(table, 'postgresLeaseTableSql()');
  // By the UNIQUE a new token is a new key, so that a take-over, unlike a renewal, waits for who has FOR KEY SHARE.
  return `CREATE TABLE IF NOT EXISTS ${quoted(table)} (
  name text PRIMARY KEY,
  token bigint NOT NULL,
  holder text NOT NULL,
  identity text NOT NULL,
  address text,
  lease_ms double precision NOT NULL,
  expires_at timestamptz NOT NULL,
  version bigint NOT NULL,
  UNIQUE (name, token)
);`;
}

/**
 * Creates the table in one statement. "IF NOT EXISTS" alone fails when several processes are at it at once, so they take
 * turns; one who creates it by hand meanwhile does not know of turns.
 */
export function creationOf(table: string): string {
  return `DO $lifecycle$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('nestjs-lifecycle: create table', 0));
  ${postgresLeaseTableSql({ table })}
EXCEPTION WHEN unique_violation OR duplicate_table OR duplicate_object THEN NULL;
END $lifecycle$`;
}
