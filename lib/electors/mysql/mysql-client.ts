import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { resetSocket } from '../../core/connections/reset-socket.js';
import { EngineRefusalError } from '../../core/errors.js';
import type { MysqlClientOptions } from './mysql-elector-options.js';

/** A value as the server has sent it. */
interface Field {
  string(): string | null;
}

/** One statement without placeholders, and how its values are read: as text, whatever the application has set. */
export interface Statement {
  sql: string;
  rowsAsArray: false;
  nestTables: false;
  typeCast: (field: Field) => string | null;
}

/** What is used of a connection of `mysql2/promise`, one's own or one out of a pool. */
export interface MysqlClient {
  query(statement: Statement): Promise<[unknown, ...unknown[]]>;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  removeListener(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** A connection that is ours: what is sent over it can be taken back. */
export interface OwnClient extends MysqlClient {
  end(): Promise<void>;
}

/** The same, as it is before it has connected. */
interface CoreConnection {
  once(event: string, listener: (...args: unknown[]) => void): unknown;
  promise(): OwnClient;
}

interface StreamOptions {
  readonly config: { readonly host: string; readonly port: number; readonly socketPath?: string };
}

interface MysqlModule {
  createConnection(options: object): CoreConnection;
}

/** How a connection of our own is made. */
export interface ClientSource {
  readonly url?: string;
  readonly options?: MysqlClientOptions;
}

/** One that is being opened. */
export interface OpeningClient {
  readonly client: OwnClient;
  /** Calls back once, when it can be used. Why it cannot is an event "error" of the client. */
  onceConnected(listener: () => void): void;
  /** Destroys its connection, in whatever state it is. */
  readonly reset: () => void;
}

/** Begins to open a connection. */
export async function openClient({ url, options }: ClientSource): Promise<OpeningClient> {
  const mysql = await loadMysql();
  let socket: Duplex | undefined;
  const core = mysql.createConnection({
    ...options,
    ...(url !== undefined && { uri: url }),
    // Tokens are numbers that have to be exact.
    supportBigNumbers: true,
    bigNumberStrings: true,
    stream: (given: StreamOptions) => (socket = options?.stream?.() ?? socketTo(given)),
  });
  return {
    client: core.promise(),
    onceConnected: (listener) => void core.once('connect', listener),
    reset: () => socket && resetSocket(socket),
  };
}

function socketTo({ config: { host, port, socketPath } }: StreamOptions): Socket {
  if (socketPath !== undefined) return connect(socketPath);
  return connect({ host, port, noDelay: true, keepAlive: true });
}

let loaded: Promise<MysqlModule> | undefined;

/** Once a process. A failure is not kept. */
async function loadMysql(): Promise<MysqlModule> {
  try {
    loaded ??= import('mysql2').then((it) => (it as unknown as { readonly default: MysqlModule }).default);
    return await loaded;
  } catch (cause) {
    loaded = undefined;
    throw new EngineRefusalError('MysqlElector needs the package "mysql2". Run "npm install mysql2".', { cause });
  }
}
