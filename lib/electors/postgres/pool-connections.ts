import { onAbort } from '../../core/abort.js';
import type { Connections } from './connections.js';
import { PostgresConnection } from './postgres-connection.js';
import type { PostgresPool, PostgresPoolClient } from './postgres-elector-options.js';

/** Connections out of the user's pool, which is never closed here. */
export class PoolConnections implements Connections {
  constructor(private readonly pool: PostgresPool) {}

  async take(signal: AbortSignal): Promise<PostgresConnection> {
    signal.throwIfAborted();
    const client = await this.#connect(signal);
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

  #connect(signal: AbortSignal): Promise<PostgresPoolClient> {
    return new Promise((resolve, reject) => {
      const unlisten = onAbort(signal, () => reject(signal.reason));
      const onConnected = (client: PostgresPoolClient) => {
        unlisten();
        // A pool cannot be told to stop waiting. Nobody has used this one.
        if (signal.aborted) client.release();
        else resolve(client);
      };
      const onFailed = (error: unknown) => {
        unlisten();
        reject(error);
      };
      this.pool.connect().then(onConnected, onFailed);
    });
  }
}
