/** Where connections come from: our own, or the user's pool. */
export interface Connections<Connection extends { giveBack(): void }> {
  /** One that nobody else uses; give it back, keep it, or destroy it. Rejects when the signal aborts. */
  take(signal: AbortSignal): Promise<Connection>;
  /** Closes what was opened here. */
  close(): Promise<void>;
}

/** Runs one statement, or one and what has become of it, on a connection that is given back after it. */
export async function runOnce<Connection extends { giveBack(): void }, T>(
  connections: Connections<Connection>,
  run: (connection: Connection) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const connection = await connections.take(signal);
  try {
    return await run(connection);
  } finally {
    connection.giveBack();
  }
}
