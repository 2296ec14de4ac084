import { systemClock } from '../../core/clock.js';
import type { Diagnosis } from '../../core/elector.js';
import { errorText } from '../../core/error-text.js';
import { requestInTime } from '../../core/lease/lease-requests.js';
import { runOnce } from '../../core/connections/connections.js';
import { explained, type TableSettings } from './engine-errors.js';
import { isOff } from './lease-rows.js';
import { text } from './lease-statements.js';
import { mysqlLeaseTableSql, quoted } from './lease-table.js';
import type { MysqlConnection } from './mysql-connection.js';
import type { StoreParts } from './mysql-lease-store.js';

/** Settings of the server by name; those that it does not know are missing. */
type Settings = ReadonlyMap<string, string>;

interface Findings {
  readonly settings: Settings;
  /** SYSDATE() shows when a statement began, as NOW() does. */
  readonly isSysdateStill: boolean;
  readonly engine: string | undefined;
}

const SETTINGS = `SHOW GLOBAL VARIABLES WHERE Variable_name IN
  ('version', 'read_only', 'innodb_flush_log_at_trx_commit', 'sync_binlog', 'log_bin', 'wsrep_on')`;
const SYSDATE = 'SELECT SLEEP(0.002) AS slept, SYSDATE(6) = NOW(6) AS isStill';

/** What an operator should know about this server. Never rejects: that it does not answer is a finding too. */
export async function diagnoseMysql(parts: StoreParts): Promise<Diagnosis[]> {
  const { connections, settings, requestTimeoutMs } = parts;
  const send = (signal: AbortSignal) =>
    runOnce(connections, (connection) => find(connection, settings.table, signal), signal);
  try {
    const findings = await requestInTime(systemClock, { operation: 'diagnose', timeoutMs: requestTimeoutMs, send });
    return [
      ...judge(findings.settings),
      ...judgeClock(findings),
      ...judgeTable(findings, settings),
      ...judgeHints(parts),
    ];
  } catch (error) {
    return [{ level: 'error', summary: errorText(explained(error, settings)) }];
  }
}

async function find(connection: MysqlConnection, table: string, signal: AbortSignal): Promise<Findings> {
  const rows = await connection.rows<'Variable_name' | 'Value'>(SETTINGS, signal);
  const settings = new Map(rows.map((row) => [String(row.Variable_name), String(row.Value)]));
  const [time] = await connection.rows<'isStill'>(SYSDATE, signal);
  const [found] = await connection.rows<'engine'>(engineOf(table), signal);
  return { settings, isSysdateStill: time?.isStill === '1', engine: found?.engine ?? undefined };
}

function engineOf(table: string): string {
  const parts = table.split('.');
  const database = parts.length === 2 ? text(parts[0]) : 'DATABASE()';
  return `SELECT ENGINE AS engine FROM information_schema.TABLES
WHERE TABLE_SCHEMA = ${database} AND TABLE_NAME = ${text(parts.at(-1))}`;
}

function judge(settings: Settings): Diagnosis[] {
  const found: Diagnosis[] = [{ level: 'ok', summary: `MySQL ${settings.get('version')} answers` }];
  if (!isOff(settings.get('read_only') ?? '0')) {
    const remedy = 'Connect to the primary.';
    found.push({ level: 'error', summary: 'The server is a replica, or read-only, and takes no leases', remedy });
  }
  const flushes = settings.get('innodb_flush_log_at_trx_commit');
  if (flushes !== '1') {
    const summary = `After a crash of the host the last writes may be missing (innodb_flush_log_at_trx_commit is ${flushes})`;
    found.push({ level: 'warning', summary, remedy: 'Set it to 1.' });
  }
  if (settings.get('wsrep_on') === 'ON') {
    const summary = 'The server is a node of a Galera cluster: each node judges by its own clock, and hints stay on it';
    found.push({ level: 'warning', summary, remedy: 'Connect all replicas of a service to the same node.' });
  }
  return found;
}

function judgeClock({ isSysdateStill }: Findings): Diagnosis[] {
  if (!isSysdateStill) return [];
  const summary =
    'A statement that has waited for a lock may be carried out too late (the server runs with sysdate-is-now)';
  return [{ level: 'warning', summary, remedy: 'Start the server without sysdate-is-now.' }];
}

function judgeTable({ engine }: Findings, { table, createTable }: TableSettings): Diagnosis[] {
  const sql = mysqlLeaseTableSql({ table });
  if (engine === undefined) {
    const summary = `There is no table ${quoted(table)} yet, or the user may not see it`;
    if (createTable)
      return [{ level: 'note', summary: `${summary}; it is created at the first campaign`, remedy: sql }];
    return [{ level: 'error', summary: `${summary}, and createTable is false`, remedy: sql }];
  }
  if (engine === 'InnoDB') return [];
  const remedy = `ALTER TABLE ${quoted(table)} ENGINE=InnoDB;`;
  return [{ level: 'error', summary: `A crash may lose rows of ${quoted(table)}: its engine is ${engine}`, remedy }];
}

function judgeHints({ hints, lacksConnections }: StoreParts): Diagnosis[] {
  if (hints !== undefined) return [];
  const summary = 'Releases are noticed by polling: hand-over takes up to a third of the lease';
  if (!lacksConnections) return [{ level: 'warning', summary, remedy: 'Leave the option "hints" out.' }];
  const remedy =
    'Raise the connectionLimit of the pool to 3 or more, or give hints connections of their own: hints: { url }.';
  return [{ level: 'warning', summary: `The pool is too small for hints. ${summary}`, remedy }];
}
