import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { resetSocket } from '../../core/connections/reset-socket.js';
import { EngineRefusalError } from '../../core/errors.js';
import type { PostgresClientOptions } from './postgres-elector-options.js';

/** One statement, and how its values are read. It has no name: a pooler would look for it on another connection. */
export interface Statement {
  text: string;
  values: unknown[];
  types: { getTypeParser(): (value: string) => unknown };
}

/** What is used of a client of `pg`, one's own or one out of a pool. */
export interface PostgresClient {
  /** The server process behind it, as the server has named it when the connection was opened. */
  readonly processID?: number | null;
  query(statement: Statement): Promise<{ rows: unknown[] }>;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  removeListener(event: string, listener: (...args: unknown[]) => void): unknown;
  /** From pg 8.21 on: `I` outside of a transaction. */
  getTransactionStatus?(): string | null;
}

/** A client that is ours: what is sent over it can be taken back. */
export interface OwnClient extends PostgresClient {
  connect(): Promise<unknown>;
  end(): Promise<void>;
}

interface PostgresModule {
  readonly Client: new (options: object) => OwnClient;
}

/** How a client of our own is made. */
export interface ClientSource {
  readonly url?: string;
  readonly options?: PostgresClientOptions;
}

/** A client that is not connected yet, and what destroys its connection in whatever state it is. */
export async function createClient({ url, options }: ClientSource): Promise<[OwnClient, () => void]> {
  const { Client } = await loadPostgres();
  let socket: Duplex | undefined;
  const client = new Client({
    keepAlive: true,
    fallback_application_name: 'nestjs-lifecycle',
    ...options,
    ...(url !== undefined && { connectionString: url }),
    stream: () => (socket = options?.stream?.() ?? new Socket()),
  });
  return [client, () => socket && resetSocket(socket)];
}

let loaded: Promise<PostgresModule> | undefined;

/** Once a process. A failure is not kept. */
async function loadPostgres(): Promise<PostgresModule> {
  try {
    loaded ??= import('pg').then((it) => (it as unknown as { readonly default: PostgresModule }).default);
    return await loaded;
  } catch (cause) {
    loaded = undefined;
    throw new EngineRefusalError('PostgresElector needs the package "pg". Run "npm install pg".', { cause });
  }
}
