import { onAbort } from '../abort.js';

/**
 * A client out of a pool. Rejects when the signal aborts; a pool cannot be told to stop waiting, so a client that comes
 * later, and that nobody has used, goes back.
 */
export function outOfPool<Client extends { release(): void }>(
  connect: () => Promise<Client>,
  signal: AbortSignal,
): Promise<Client> {
  return new Promise((resolve, reject) => {
    const unlisten = onAbort(signal, () => reject(signal.reason));
    const onConnected = (client: Client) => {
      unlisten();
      if (signal.aborted) client.release();
      else resolve(client);
    };
    const onFailed = (error: unknown) => {
      unlisten();
      reject(error);
    };
    connect().then(onConnected, onFailed);
  });
}
