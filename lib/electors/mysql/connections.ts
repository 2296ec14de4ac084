import type { MysqlConnection } from './mysql-connection.js';

/** Where connections come from: our own, or the user's pool. */
export interface Connections {
  /** One that nobody else uses; give it back, keep it, or destroy it. Rejects when the signal aborts. */
  take(signal: AbortSignal): Promise<MysqlConnection>;
  /** Closes what was opened here. */
  close(): Promise<void>;
}

/** Runs one statement, or one and what has become of it, on a connection that is given back after it. */
export async function runOnce<T>(
  connections: Connections,
  run: (connection: MysqlConnection) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const connection = await connections.take(signal);
  try {
    return await run(connection);
  } finally {
    connection.giveBack();
  }
}
