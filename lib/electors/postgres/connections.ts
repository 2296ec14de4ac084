import type { PostgresConnection } from './postgres-connection.js';

/** Where connections come from: clients of our own, or the user's pool. */
export interface Connections {
  /** One that nobody else uses; give it back, keep it, or destroy it. Rejects when the signal aborts. */
  take(signal: AbortSignal): Promise<PostgresConnection>;
  /** Closes what was opened here. */
  close(): Promise<void>;
}

/** Runs one statement on a connection that is given back after it. */
export async function runOnce<T>(
  connections: Connections,
  run: (connection: PostgresConnection) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const connection = await connections.take(signal);
  try {
    return await run(connection);
  } finally {
    connection.giveBack();
  }
}
