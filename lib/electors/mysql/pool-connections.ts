import type { Duplex } from 'node:stream';
import type { Connections } from '../../core/connections/connections.js';
import { outOfPool } from '../../core/connections/out-of-pool.js';
import { resetSocket } from '../../core/connections/reset-socket.js';
import { MysqlConnection } from './mysql-connection.js';
import type { MysqlPool, MysqlPoolConnection } from './mysql-elector-options.js';

/** Connections out of the user's pool, which is never closed here. */
export class PoolConnections implements Connections<MysqlConnection> {
  constructor(private readonly pool: MysqlPool) {}

  async take(signal: AbortSignal): Promise<MysqlConnection> {
    signal.throwIfAborted();
    const client = await outOfPool(() => this.pool.getConnection(), signal);
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
}

/** Destroying it is an ordinary close to mysql2: what waits in the kernel would still be sent, and is dropped before. */
function destroy(client: MysqlPoolConnection): void {
  const { stream } = (client.connection ?? {}) as { readonly stream?: Duplex };
  if (stream !== undefined) resetSocket(stream);
  client.destroy();
}
