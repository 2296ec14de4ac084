import type { Duplex } from 'node:stream';
import { onAbort } from '../../core/abort.js';
import type { Connections } from './connections.js';
import { reset } from './mysql-client.js';
import { MysqlConnection } from './mysql-connection.js';
import type { MysqlPool, MysqlPoolConnection } from './mysql-elector-options.js';

/** Connections out of the user's pool, which is never closed here. */
export class PoolConnections implements Connections {
  constructor(private readonly pool: MysqlPool) {}

  async take(signal: AbortSignal): Promise<MysqlConnection> {
    signal.throwIfAborted();
    const client = await this.#connect(signal);
    const connection: MysqlConnection = new MysqlConnection(client, {
      isShared: true,
      giveBack: () => {
        connection.unlisten();
        client.release();
      },
      // It keeps its listener: until it is gone it may report an error once more, which nobody else would hear.
      end: () => destroy(client),
      destroy: () => destroy(client),
    });
    return connection;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #connect(signal: AbortSignal): Promise<MysqlPoolConnection> {
    return new Promise((resolve, reject) => {
      const unlisten = onAbort(signal, () => reject(signal.reason));
      const onConnected = (client: MysqlPoolConnection) => {
        unlisten();
        // A pool cannot be told to stop waiting. Nobody has used this one.
        if (signal.aborted) client.release();
        else resolve(client);
      };
      const onFailed = (error: unknown) => {
        unlisten();
        reject(error);
      };
      this.pool.getConnection().then(onConnected, onFailed);
    });
  }
}

/** Destroying it is an ordinary close to mysql2: what waits in the kernel would still be sent, and is dropped before. */
function destroy(client: MysqlPoolConnection): void {
  const { stream } = (client.connection ?? {}) as { readonly stream?: Duplex };
  if (stream !== undefined) reset(stream);
  client.destroy();
}
