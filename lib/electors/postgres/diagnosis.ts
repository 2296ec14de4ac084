import { systemClock } from '../../core/clock.js';
import type { Diagnosis } from '../../core/elector.js';
import { errorText } from '../../core/error-text.js';
import { requestInTime } from '../../core/lease/lease-requests.js';
import { runOnce } from '../../core/connections/connections.js';
import { explained, type TableSettings } from './engine-errors.js';
import { postgresLeaseTableSql, quoted } from './lease-table.js';
import type { TextRow } from '../../core/connections/borrowed-connection.js';
import type { StoreParts } from './postgres-lease-store.js';

type Findings = TextRow<
  'version' | 'standby' | 'pid' | 'fsync' | 'synchronousCommit' | 'table' | 'schema' | 'mayUse' | 'hasKey'
>;

const FINDINGS = `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS standby,
  pg_backend_pid() AS pid, current_setting('fsync') AS fsync,
  current_setting('synchronous_commit') AS "synchronousCommit", to_regclass($1)::text AS "table",
  coalesce((
    SELECT nspname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE pg_class.oid = to_regclass($1)
  ), current_schema())::text AS "schema",
  has_table_privilege(to_regclass($1), 'SELECT') AND has_table_privilege(to_regclass($1), 'INSERT')
    AND has_table_privilege(to_regclass($1), 'UPDATE') AS "mayUse",
  EXISTS (
    SELECT FROM pg_index WHERE indrelid = to_regclass($1) AND indisunique AND indimmediate AND indpred IS NULL
      AND (SELECT array_agg(attname::text ORDER BY attname) FROM pg_attribute
        WHERE attrelid = indrelid AND attnum = ANY (indkey)) = ARRAY['name', 'token']
  ) AS "hasKey"`;

/** What an operator should know about this server. Never rejects: that it does not answer is a finding too. */
export async function diagnosePostgres(parts: StoreParts): Promise<Diagnosis[]> {
  const { connections, settings, requestTimeoutMs } = parts;
  const ask = async (signal: AbortSignal) =>
    runOnce(
      connections,
      async (connection) => {
        const [findings] = await connection.query<keyof Findings>(FINDINGS, [quoted(settings.table)], signal);
        return { findings, isPooled: Number(findings?.pid) !== connection.processId };
      },
      signal,
    );
  try {
    const request = { operation: 'diagnose', timeoutMs: requestTimeoutMs, send: ask };
    const { findings, isPooled } = await requestInTime(systemClock, request);
    return findings === undefined
      ? []
      : [...judge(findings, parts), ...judgeSession(parts, isPooled), ...judgeHints(parts, isPooled)];
  } catch (error) {
    return [{ level: 'error', summary: errorText(explained(error, settings)) }];
  }
}

function judge(findings: Findings, { settings }: StoreParts): Diagnosis[] {
  const { version, standby, fsync, synchronousCommit } = findings;
  const found: Diagnosis[] = [{ level: 'ok', summary: `PostgreSQL ${version} answers` }];
  if (standby === 't') {
    const remedy = 'Connect to the primary.';
    found.push({ level: 'error', summary: 'The server is a standby, and takes no leases', remedy });
  }
  if (fsync === 'off' || synchronousCommit === 'off') {
    const summary = 'After a crash of the server the last writes may be missing (fsync or synchronous_commit is off)';
    found.push({ level: 'warning', summary, remedy: 'Turn both on, at least for the role of the elector.' });
  }
  return [...found, ...judgeTable(findings, settings), ...judgeSchema(findings, settings.table)];
}

function judgeTable({ table, mayUse, hasKey }: Findings, { table: name, createTable }: TableSettings): Diagnosis[] {
  const sql = postgresLeaseTableSql({ table: name });
  if (table === null) {
    const summary = `There is no table ${quoted(name)} yet`;
    if (createTable)
      return [{ level: 'note', summary: `${summary}; it is created at the first campaign`, remedy: sql }];
    return [{ level: 'error', summary: `${summary}, and createTable is false`, remedy: sql }];
  }
  const found: Diagnosis[] = [];
  if (mayUse !== 't') {
    const remedy = `GRANT SELECT, INSERT, UPDATE ON ${quoted(name)} TO <the application's role>;`;
    found.push({ level: 'error', summary: `The role may not use the table ${quoted(name)}`, remedy });
  }
  if (hasKey !== 't') {
    const remedy = `ALTER TABLE ${quoted(name)} ADD UNIQUE (name, token);`;
    found.push({ level: 'error', summary: 'Without UNIQUE (name, token) the fence fences nothing', remedy });
  }
  return found;
}

/** Each connection looks a bare name up by its own search_path, and may find, or create, another table. */
function judgeSchema({ schema }: Findings, name: string): Diagnosis[] {
  if (name.includes('.')) return [];
  const place = schema === null ? 'leads nowhere' : `now leads to the schema "${schema}"`;
  const summary = `Where the table ${quoted(name)} is depends on the search_path, which ${place}`;
  const example = `table: '${schema ?? 'schema'}.${name}'`;
  const remedy = `Give the schema too, ${example}, unless the search_path is the same for every replica: else two of them lead.`;
  return [{ level: schema === null ? 'warning' : 'note', summary, remedy }];
}

function judgeSession(parts: StoreParts, isPooled: boolean): Diagnosis[] {
  if (!isPooled || !('idleSessionTimeoutMs' in parts)) return [];
  const summary =
    "There is a pooler before PostgreSQL (pgbouncer?), and crashDetection: 'session' needs a session of its own";
  return [{ level: 'error', summary, remedy: 'Connect to PostgreSQL itself, or leave the option out.' }];
}

function judgeHints({ notifications }: StoreParts, isPooled: boolean): Diagnosis[] {
  const withoutHints = 'Releases are noticed by polling: hand-over takes up to a third of the lease';
  if (notifications === undefined) return [{ level: 'warning', summary: withoutHints, remedy: 'Set "listen".' }];
  if (!notifications.isPooled) return [];
  const remedy = 'Give the elector a direct connection for notifications: listen: { url }.';
  const where = isPooled ? 'There is a pooler before PostgreSQL. ' : '';
  return [{ level: 'warning', summary: `${where}${withoutHints}`, remedy }];
}
