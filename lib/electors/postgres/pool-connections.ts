import type { Connections } from '../../core/connections/connections.js';
import { outOfPool } from '../../core/connections/out-of-pool.js';
import { PostgresConnection } from './postgres-connection.js';
import type { PostgresPool } from './postgres-elector-options.js';

/** Connections out of the user's pool, which is never closed here. */
export class PoolConnections implements Connections<PostgresConnection> {
  constructor(private readonly pool: PostgresPool) {}

  async take(signal: AbortSignal): Promise<PostgresConnection> {
    signal.throwIfAborted();
    const client = await outOfPool(() => this.pool.connect(), signal);
    const connection: PostgresConnection = new PostgresConnection(client, {
      giveBack: () => {
        connection.unlisten();
        client.release();
      },
      // It keeps its listener: until it is gone it may report an error once more, which nobody else would hear.
      end: () => client.release(true),
      destroy: () => client.release(true),
    });
    return connection;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
