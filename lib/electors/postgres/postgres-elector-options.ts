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
  assertOneOf,
  rejectUnknownOptions,
} from '../../core/option-checks.js';
import type { TableSettings } from './engine-errors.js';
import { assertTable, DEFAULT_TABLE } from './lease-table.js';
import type { ClientSource } from './postgres-client.js';

/** Options of the `Client` of `pg`, which takes more than these. @publicApi */
export interface PostgresClientOptions {
  readonly connectionString?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly user?: string | undefined;
  readonly password?: string | (() => string | Promise<string>) | undefined;
  readonly database?: string | undefined;
  readonly ssl?: boolean | object | undefined;
  readonly application_name?: string | undefined;
  readonly options?: string | undefined;
  readonly keepAlive?: boolean | undefined;
  /** A new stream for each connection. */
  readonly stream?: (() => Duplex | undefined) | undefined;
}

/** A `Pool` of `pg`, as far as it is used. @publicApi */
export interface PostgresPool {
  connect(): Promise<PostgresPoolClient>;
}

/** A client out of a pool, as far as it is used. @publicApi */
export interface PostgresPoolClient {
  readonly processID?: number | null;
  query(statement: {
    text: string;
    values: unknown[];
    types: { getTypeParser(): (value: string) => unknown };
  }): Promise<{ rows: unknown[] }>;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  removeListener(event: string, listener: (...args: unknown[]) => void): unknown;
  release(destroy?: boolean): void;
}

/**
 * How to reach the server: exactly one of `url`, `options` and `pool`.
 *
 * @publicApi
 */
export interface PostgresElectorOptions extends LeaseElectorSettings {
  /** `postgres://user:password@host:5432/database`. The connections are the elector's own. */
  readonly url?: string;
  /** The same as options of the `Client` of `pg`. */
  readonly options?: PostgresClientOptions;
  /**
   * A `Pool` of `pg`, which is left open. One client is out for as long as there are campaigns, for `listen`, and in mode
   * `'session'` one for each election that is led; give the pool an `error` listener.
   */
  readonly pool?: PostgresPool;
  /**
   * Where releases are heard of, when that is not possible where the leases are: through a pooler. `false`: nowhere, and
   * hand-over takes up to a third of the lease.
   *
   * @default where the leases are
   */
  readonly listen?: { readonly url: string } | { readonly options: PostgresClientOptions } | false;
  /**
   * Where the leases are: a table's name, with its schema or without. Give the schema unless the search_path is the same
   * for every replica: where it differs, each finds or creates a table of its own, and two lead.
   *
   * @default 'nestjs_lifecycle_leases'
   */
  readonly table?: string;
  /** Whether the table is created when it is not there. `postgresLeaseTableSql()` prints how. @default true */
  readonly createTable?: boolean;
  /**
   * - `'lease'`: a lease that runs out by the server's clock.
   * - `'session'`: short leases (`timing`: lease 1600, renewal 400, request 200, stop budget 500 ms), and in addition a lock
   *   that the server frees when the session of its holder ends. Needs PostgreSQL 14 and a direct connection.
   *
   * @default 'lease'
   */
  readonly crashDetection?: 'lease' | 'session';
}

/** Options that are complete and checked. */
export interface ResolvedOptions {
  readonly lease: Omit<LeaseElectorOptions, 'store'> & { readonly namespace: string };
  readonly source: ClientSource | PostgresPool;
  readonly listen: ClientSource | false | undefined;
  readonly table: TableSettings;
  readonly isSession: boolean;
}

const WHERE = 'PostgresElector';
const SOURCES = ['url', 'options', 'pool'] as const;
const KNOWN = [...LEASE_ELECTOR_SETTINGS, ...SOURCES, 'listen', 'table', 'createTable', 'crashDetection'];
/** A heartbeat may fail once by taking its whole time; what is left of the lease is for the work to settle in. */
const SESSION_TIMING = { leaseMs: 1600, renewMs: 400, requestTimeoutMs: 200, stopBudgetMs: 500 };

/** @throws InvalidOptionError */
export function resolvePostgresOptions(given: PostgresElectorOptions): ResolvedOptions {
  assertObject('options', given, WHERE, 'Pass at least { namespace: "orders", url }.');
  rejectUnknownOptions(given, KNOWN, WHERE);
  const { table = DEFAULT_TABLE, createTable = true, crashDetection = 'lease', listen } = given;
  assertTable(table, WHERE);
  assertBoolean('createTable', createTable, WHERE);
  assertOneOf('crashDetection', crashDetection, ['lease', 'session'], WHERE);
  assertListen(listen);
  const isSession = crashDetection === 'session';
  const source = sourceOf(given);
  const lease = resolveLeaseElectorSettings(given, WHERE, isSession ? { defaults: SESSION_TIMING } : {});
  if (given.pool !== undefined) assertPoolSize(given.pool, { isSession, listens: listen === undefined });
  return { lease, source, listen, table: { table, createTable }, isSession };
}

function sourceOf(given: PostgresElectorOptions): ClientSource | PostgresPool {
  const { url, options, pool } = given;
  const sources = SOURCES.filter((it) => given[it] !== undefined);
  if (sources.length !== 1) {
    throw new InvalidOptionError({
      option: 'url',
      value: sources.length === 0 ? undefined : sources.join(' and '),
      where: WHERE,
      expected: 'exactly one of "url", "options" and "pool"',
      remedy: 'Say where PostgreSQL is: url: "postgres://user:password@host:5432/database".',
    });
  }
  assertNonEmptyString('url', url, WHERE);
  if (options !== undefined) assertObject('options', options, WHERE, 'Pass what the Client of pg takes.');
  assertMethods('pool', pool, ['connect', 'query', 'end'], WHERE);
  return pool ?? { ...(url !== undefined && { url }), ...(options !== undefined && { options }) };
}

function assertListen(listen: unknown): void {
  if (listen === undefined || listen === false) return;
  assertObject('listen', listen, WHERE, 'Pass { url }, { options } or false.');
  const { url, options } = listen as Partial<Record<string, unknown>>;
  rejectUnknownOptions(listen as object, ['url', 'options'], `listen of ${WHERE}`);
  assertNonEmptyString('listen.url', url, WHERE);
  if ((url === undefined) === (options === undefined)) {
    const expected = 'exactly one of "url" and "options"';
    const remedy = 'Pass { url }, { options } or false.';
    throw new InvalidOptionError({ option: 'listen', value: listen, where: WHERE, expected, remedy });
  }
  if (options !== undefined) assertObject('listen.options', options, WHERE);
}

/** With too small a pool every statement would wait for a client that is out for good. */
function assertPoolSize(pool: PostgresPool, { isSession, listens }: { isSession: boolean; listens: boolean }): void {
  const max = (pool as { options?: { max?: unknown } }).options?.max;
  const needed = 1 + (isSession ? 1 : 0) + (listens ? 1 : 0);
  if (typeof max !== 'number' || max >= needed) return;
  throw new InvalidOptionError({
    option: 'pool',
    value: `a pool with max ${max}`,
    where: WHERE,
    expected: `one with a max of at least ${needed}, and more where your own queries are many`,
    remedy: 'Raise its max, or give the elector connections of its own with "url".',
  });
}

export function isPool(source: ClientSource | PostgresPool): source is PostgresPool {
  return 'connect' in source;
}
