import { onAbort } from '../../core/abort.js';
import type { Clock } from '../../core/clock.js';
import { ConnectionStock } from '../../core/connections/connection-stock.js';
import { openClient, type ClientSource, type OpeningClient } from './mysql-client.js';
import { MysqlConnection } from './mysql-connection.js';

export function ownConnections(
  source: ClientSource,
  clock: Clock,
  requestTimeoutMs: number,
  mostAtATime: number,
): ConnectionStock<MysqlConnection> {
  return new ConnectionStock<MysqlConnection>(
    async (homeOf) => {
      const opening = await openClient(source);
      const { client, reset } = opening;
      const home = homeOf({ end: () => client.end(), reset });
      const connection = new MysqlConnection(client, { ...home, isShared: false });
      return { connection, ready: (signal) => prepare(opening, connection, requestTimeoutMs, signal) };
    },
    clock,
    mostAtATime,
  );
}

async function prepare(
  opening: OpeningClient,
  connection: MysqlConnection,
  requestTimeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    await connected(opening, connection, signal);
    await connection.write(settings(requestTimeoutMs), signal);
  } catch (error) {
    connection.destroy(error);
    throw error;
  }
}

/** The server may have other defaults. Nobody waits for a lock for longer than for an answer; a second is the least. */
function settings(requestTimeoutMs: number): string {
  return `SET autocommit = 1, innodb_lock_wait_timeout = ${Math.max(1, Math.floor(requestTimeoutMs / 1000))}`;
}

/** @throws what the signal was aborted with, or why it cannot be opened; the connection has been destroyed then */
function connected(opening: OpeningClient, connection: MysqlConnection, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const unlisten = onAbort(signal, () => connection.destroy(signal.reason));
    onAbort(connection.ended, () => {
      unlisten();
      reject(connection.ended.reason);
    });
    opening.onceConnected(() => {
      unlisten();
      resolve();
    });
  });
}
