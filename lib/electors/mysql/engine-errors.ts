import { EngineRefusalError, EngineStandbyError, LifecycleError } from '../../core/errors.js';
import { mysqlLeaseTableSql, quoted } from './lease-table.js';

/** Of the table. */
export interface TableSettings {
  readonly table: string;
  readonly createTable: boolean;
}

/** What the server says. Errors of the client and of the network have no SQLSTATE. */
export interface ServerError extends Error {
  readonly errno: number;
  readonly sqlState: string;
  readonly fatal?: boolean;
}

const MISSING_TABLE = 1146;
const DUPLICATE_KEY = 1062;
/** --read-only, a transaction that is read-only by default, and a storage engine that is. */
const READ_ONLY: readonly number[] = [1290, 1792, 1836];
/** Of a connection whose last user has left tables, or the whole server, locked for itself. */
const LEFT_LOCKED: readonly number[] = [1099, 1100, 1223];

const account = () => 'Correct the user or the password, and from where that user may connect.';
const otherTable = ({ table }: TableSettings) =>
  `${quoted(table)} is another table. Give the option "table" a name that is free.`;

/** Errors that stay until somebody acts, and what to do. 1205 and 1213, a lock that others hold, are tried again. */
const REMEDIES: Readonly<Record<number, (settings: TableSettings) => string>> = {
  1044: () => 'Grant the user access to the database, or correct its name.',
  1045: account,
  1046: () =>
    'Name a database: at the end of "url", as the option "database", or before the table: table: "infra.leases".',
  1049: () => 'Create the database, or correct its name.',
  1130: account,
  1142: (settings) => `${grants(settings)} ${byHand(settings)}`,
  1143: (settings) => `${grants(settings)} ${byHand(settings)}`,
  [MISSING_TABLE]: byHand,
  1054: otherTable,
  1136: otherTable,
  1364: otherTable,
  1366: otherTable,
  1347: otherTable,
  1406: ({ table }) =>
    `A value is longer than its column in ${quoted(table)} lets it be. Shorten it, or widen the column.`,
  1698: account,
  1820: () => 'Change the password: it has expired.',
  1862: () => 'Change the password: it has expired.',
  3159: () => 'Turn on TLS: the server takes no other connections. Pass "options" with "ssl".',
};

export function isServerError(error: unknown): error is ServerError {
  const { errno, sqlState } = (error ?? {}) as Partial<Record<string, unknown>>;
  return error instanceof Error && typeof errno === 'number' && typeof sqlState === 'string';
}

export function isMissingTable(error: unknown): boolean {
  return isServerError(error) && error.errno === MISSING_TABLE;
}

export function isDuplicate(error: unknown): boolean {
  return isServerError(error) && error.errno === DUPLICATE_KEY;
}

export function meansReadOnly(error: ServerError): boolean {
  return READ_ONLY.includes(error.errno);
}

/** Whether it is about what the connection's last user has left behind, and another one would not have it. */
export function meansLeftLocked(error: ServerError): boolean {
  return LEFT_LOCKED.includes(error.errno);
}

/** The error with what to do about it, where it will not go away by itself. */
export function explained(error: unknown, settings: TableSettings): unknown {
  if (error instanceof LifecycleError || !isServerError(error)) return error;
  if (meansReadOnly(error)) return new EngineStandbyError('MySQL', { cause: error });
  const remedy = REMEDIES[error.errno];
  if (remedy === undefined) return error;
  return new EngineRefusalError(`MySQL refuses: ${error.message}. ${remedy(settings)}`, { cause: error });
}

function grants({ table }: TableSettings): string {
  return `Run: GRANT SELECT, INSERT, UPDATE ON ${quoted(table)} TO <the application's user>;`;
}

function byHand({ table, createTable }: TableSettings): string {
  const sql = mysqlLeaseTableSql({ table });
  if (!createTable) return `The table is not created here (createTable: false). Run:\n${sql}`;
  return `If there is no table and the user may not create one, run as another:\n${sql}`;
}
