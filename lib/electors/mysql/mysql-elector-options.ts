import type { Duplex } from 'node:stream';
import {
  LEASE_ELECTOR_SETTINGS,
  resolveLeaseElectorSettings,
  type LeaseElectorSettings,
} from '../../core/lease/lease-elector-settings.js';
import type { LeaseElectorOptions } from '../../core/lease/lease-elector.js';
import { InvalidOptionError } from '../../core/errors.js';
import {
  assertBoolean,
  assertMethods,
  assertNonEmptyString,
  assertObject,
  rejectUnknownOptions,
} from '../../core/option-checks.js';
import type { TableSettings } from './engine-errors.js';
import { assertTable, DEFAULT_TABLE, isTable } from './lease-table.js';
import type { ClientSource, MysqlClient } from './mysql-client.js';

/** Options of `createConnection()` of `mysql2`, which takes more than these. @publicApi */
export interface MysqlClientOptions {
  readonly uri?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly socketPath?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly database?: string | undefined;
  readonly ssl?: string | object | undefined;
  readonly charset?: string | undefined;
  /** In milliseconds. */
  readonly connectTimeout?: number | undefined;
  /** A new stream for each connection. */
  readonly stream?: (() => Duplex | undefined) | undefined;
}

/** A pool of `mysql2/promise`, as far as it is used. @publicApi */
export interface MysqlPool {
  getConnection(): Promise<MysqlPoolConnection>;
}

/** A pool of `mysql2`, as far as it is used. @publicApi */
export interface MysqlCallbackPool {
  promise(): MysqlPool;
}

/** A connection out of a pool, as far as it is used. @publicApi */
export interface MysqlPoolConnection extends MysqlClient {
  /** The one of `mysql2` that it stands for. */
  readonly connection?: object;
  release(): void;
  destroy(): void;
}

/**
 * How to reach the server: exactly one of `url`, `options` and `pool`.
 *
 * @publicApi
 */
export interface MysqlElectorOptions extends LeaseElectorSettings {
  /** `mysql://user:password@host:3306/database`. The connections are the elector's own. */
  readonly url?: string;
  /** The same as options of `createConnection()` of `mysql2`. */
  readonly options?: MysqlClientOptions;
  /**
   * A pool of `mysql2`, or of `mysql2/promise`, which is left open. With `hints` one connection is out while this replica
   * leads, and one for each election that it follows: up to 4, and no more than half of the pool.
   */
  readonly pool?: MysqlPool | MysqlCallbackPool;
  /**
   * Where releases are waited for (`GET_LOCK`), when that is not possible where the leases are: through a proxy that gives
   * one connection to several clients. The same server, or node. `false`: nowhere, and hand-over takes up to a third of the
   * lease, and so it does with a pool of less than 3 connections.
   *
   * @default where the leases are
   */
  readonly hints?: { readonly url: string } | { readonly options: MysqlClientOptions } | false;
  /** Where the leases are: a table's name, with its database or without: then in that of the connection or pool. @default 'nestjs_lifecycle_leases' */
  readonly table?: string;
  /** Whether the table is created when it is not there. `mysqlLeaseTableSql()` prints how. @default true */
  readonly createTable?: boolean;
}

/** Options that are complete and checked. */
export interface ResolvedOptions {
  readonly lease: Omit<LeaseElectorOptions, 'store'> & { readonly namespace: string };
  readonly source: ClientSource | MysqlPool;
  readonly hints: ClientSource | false | undefined;
  /** How many elections are waited for at a time; 0: none, the pool has no connection to spare. */
  readonly mostWaits: number;
  readonly table: TableSettings;
}

const WHERE = 'MysqlElector';
const SOURCES = ['url', 'options', 'pool'] as const;
const KNOWN = [...LEASE_ELECTOR_SETTINGS, ...SOURCES, 'hints', 'table', 'createTable'];
const MOST_WAITS = 4;

/** @throws InvalidOptionError */
export function resolveMysqlOptions(given: MysqlElectorOptions): ResolvedOptions {
  assertObject('options', given, WHERE, 'Pass at least { namespace: "orders", url }.');
  rejectUnknownOptions(given, KNOWN, WHERE);
  const { table = DEFAULT_TABLE, createTable = true, hints, pool } = given;
  assertTable(table, WHERE);
  assertBoolean('createTable', createTable, WHERE);
  assertHints(hints);
  const source = sourceOf(given);
  const lease = resolveLeaseElectorSettings(given, WHERE);
  const mostWaits = pool !== undefined && hints === undefined ? mostWaitsIn(pool) : MOST_WAITS;
  return { lease, source, hints, mostWaits, table: { table: pinned(table, pool), createTable } };
}

/**
 * With the database of the pool: somebody may have moved a connection to another one (USE), where the same name is another
 * table, with another leader.
 */
function pinned(table: string, pool: MysqlPool | MysqlCallbackPool | undefined): string {
  const database = pool && configOf(pool)?.connectionConfig?.database;
  if (typeof database !== 'string' || table.includes('.')) return table;
  const name = `${database}.${table}`;
  return isTable(name) ? name : table;
}

function sourceOf(given: MysqlElectorOptions): ClientSource | MysqlPool {
  const { url, options, pool } = given;
  const sources = SOURCES.filter((it) => given[it] !== undefined);
  if (sources.length !== 1) {
    throw new InvalidOptionError({
      option: 'url',
      value: sources.length === 0 ? undefined : sources.join(' and '),
      where: WHERE,
      expected: 'exactly one of "url", "options" and "pool"',
      remedy: 'Say where MySQL is: url: "mysql://user:password@host:3306/database".',
    });
  }
  assertNonEmptyString('url', url, WHERE);
  if (options !== undefined) assertObject('options', options, WHERE, 'Pass what createConnection() of mysql2 takes.');
  assertMethods('pool', pool, ['getConnection', 'query', 'end'], WHERE);
  if (pool !== undefined) return 'promise' in pool ? pool.promise() : pool;
  return { ...(url !== undefined && { url }), ...(options !== undefined && { options }) };
}

function assertHints(hints: unknown): void {
  if (hints === undefined || hints === false) return;
  assertObject('hints', hints, WHERE, 'Pass { url }, { options } or false.');
  const { url, options } = hints as Partial<Record<string, unknown>>;
  rejectUnknownOptions(hints as object, ['url', 'options'], `hints of ${WHERE}`);
  assertNonEmptyString('hints.url', url, WHERE);
  if ((url === undefined) === (options === undefined)) {
    const expected = 'exactly one of "url" and "options"';
    const remedy = 'Pass { url }, { options } or false.';
    throw new InvalidOptionError({ option: 'hints', value: hints, where: WHERE, expected, remedy });
  }
  if (options !== undefined) assertObject('hints.options', options, WHERE);
}

/** What a pool of `mysql2` is set to. */
interface PoolConfig {
  readonly connectionLimit?: unknown;
  readonly connectionConfig?: { readonly database?: unknown };
}

function configOf(pool: MysqlPool | MysqlCallbackPool): PoolConfig | undefined {
  const core = ('promise' in pool ? pool : (pool as { pool?: unknown }).pool) as { config?: PoolConfig } | undefined;
  return core?.config;
}

/** One connection is for statements, and one holds locks: with too small a pool, waits would starve them. */
function mostWaitsIn(pool: MysqlPool | MysqlCallbackPool): number {
  const limit = configOf(pool)?.connectionLimit;
  // 0: as many as one likes.
  if (typeof limit !== 'number' || limit === 0) return MOST_WAITS;
  return Math.min(MOST_WAITS, Math.floor((limit - 1) / 2));
}

export function isPool(source: ClientSource | MysqlPool): source is MysqlPool {
  return 'getConnection' in source;
}
