import { onAbort } from '../../core/abort.js';
import type { Clock } from '../../core/clock.js';
import { ConnectionStock } from '../../core/connections/connection-stock.js';
import { createClient, type ClientSource, type OwnClient } from './postgres-client.js';
import { PostgresConnection } from './postgres-connection.js';

const MOST_AT_A_TIME = 4;

export function ownConnections(source: ClientSource, clock: Clock): ConnectionStock<PostgresConnection> {
  return new ConnectionStock<PostgresConnection>(
    async (homeOf, signal) => {
      const [client, reset] = await createClient(source);
      signal.throwIfAborted();
      const connection = new PostgresConnection(client, homeOf({ end: () => client.end(), reset }));
      return { connection, ready: (ended) => connect(client, connection, ended) };
    },
    clock,
    MOST_AT_A_TIME,
  );
}

/** @throws what the signal was aborted with; the connection has been destroyed then */
function connect(client: OwnClient, connection: PostgresConnection, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const unlisten = onAbort(signal, () => {
      reject(signal.reason);
      connection.destroy(signal.reason);
    });
    const onConnected = () => (connection.ended.aborted ? reject(connection.ended.reason) : resolve());
    const onFailed = (error: unknown) => {
      // Where it was destroyed from outside, that is the reason, and not what became of its socket.
      connection.destroy(error);
      reject(connection.ended.reason);
    };
    client.connect().finally(unlisten).then(onConnected, onFailed);
  });
}
