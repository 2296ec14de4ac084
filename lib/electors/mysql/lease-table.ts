import { InvalidOptionError } from '../../core/errors.js';

export const DEFAULT_TABLE = 'nestjs_lifecycle_leases';

const TABLE = /^(?:[-$\w]{1,64}\.)?\w{1,64}$/;

/** Whether that is a table's name, or a database's and a table's with a dot between. */
export function isTable(table: string): boolean {
  return TABLE.test(table);
}

/** @throws InvalidOptionError unless absent, a table's name, or a database's and a table's with a dot between */
export function assertTable(table: unknown, where: string): void {
  if (table === undefined || (typeof table === 'string' && isTable(table))) return;
  throw new InvalidOptionError({
    option: 'table',
    value: table,
    where,
    expected:
      'a name of letters, digits and "_", at most 64, with a database before it or not: "leases", "infra.leases"',
    remedy: 'Choose another name.',
  });
}

/** The table's name as it stands in statements. */
export function quoted(table: string): string {
  return table
    .split('.')
    .map((part) => `\`${part}\``)
    .join('.');
}

/**
 * The statement that creates the table of leases, for teams that migrate by hand; with `createTable: false` nothing else
 * does. Run again it changes nothing.
 *
 * The application's user needs SELECT, INSERT and UPDATE on it. The rows must stay: in them tokens rise.
 *
 * @throws InvalidOptionError when the name is not one
 * @publicApi
 */
export function mysqlLeaseTableSql({ table = DEFAULT_TABLE }: { readonly table?: string } = {}): string {
  assertTable(table, 'mysqlLeaseTableSql()');
  // Times are UTC in a type that no session's time zone changes. Texts have no limit that a server without strict mode
  // would cut them at.
  return `CREATE TABLE IF NOT EXISTS ${quoted(table)} (
  name varchar(127) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  token bigint NOT NULL,
  holder text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  identity text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  address text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  lease_ms double NOT NULL,
  expires_at datetime(6) NOT NULL,
  version bigint NOT NULL
) ENGINE=InnoDB;`;
}
