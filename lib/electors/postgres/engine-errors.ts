import { EngineRefusalError, EngineStandbyError, LifecycleError } from '../../core/errors.js';
import { postgresLeaseTableSql, quoted } from './lease-table.js';
import { isServerError } from './postgres-connection.js';

/** Of the table. */
export interface TableSettings {
  readonly table: string;
  readonly createTable: boolean;
}

/** SQLSTATEs that stay until somebody acts, and what to do. */
const REMEDIES: Readonly<Record<string, (settings: TableSettings) => string>> = {
  '28P01': () => 'Correct the user or the password.',
  '28000': () => 'Correct the user, or let it in: pg_hba.conf says who may connect from where.',
  '3D000': () => 'Create the database, or correct its name.',
  '3F000': ({ table }) => `Create the schema of ${quoted(table)}, or correct the option "table".`,
  '42501': (settings) => `${grants(settings)} ${byHand(settings)}`,
  '42P01': byHand,
  '42703': ({ table }) => `${quoted(table)} is another table. Give the option "table" a name that is free.`,
  '42804': ({ table }) => `${quoted(table)} is another table. Give the option "table" a name that is free.`,
  '42704': () => `With crashDetection: 'session' PostgreSQL has to be version 14 or later. Leave the option out.`,
};

const MISSING_TABLE = '42P01';
const READ_ONLY = '25006';

export function isMissingTable(error: unknown): boolean {
  return isServerError(error) && error.code === MISSING_TABLE;
}

/** The error with what to do about it, where it will not go away by itself. */
export function explained(error: unknown, settings: TableSettings): unknown {
  if (error instanceof LifecycleError) return error;
  // The client itself says so when it was given no password, and has no code for it.
  if (error instanceof Error && error.message.startsWith('SASL:')) return refusal(error, 'Correct the password.');
  if (!isServerError(error)) return error;
  if (error.code === READ_ONLY) return new EngineStandbyError('PostgreSQL', { cause: error });
  const remedy = REMEDIES[error.code];
  return remedy === undefined ? error : refusal(error, remedy(settings));
}

function refusal(cause: Error, remedy: string): EngineRefusalError {
  return new EngineRefusalError(`PostgreSQL refuses: ${cause.message}. ${remedy}`, { cause });
}

function grants({ table }: TableSettings): string {
  return `Run as the table's owner: GRANT SELECT, INSERT, UPDATE ON ${quoted(table)} TO <the application's role>;`;
}

function byHand({ table, createTable }: TableSettings): string {
  const sql = postgresLeaseTableSql({ table });
  if (!createTable) return `The table is not created here (createTable: false). Run:\n${sql}`;
  return `If there is no table and the role may not create one, run as another:\n${sql}`;
}
