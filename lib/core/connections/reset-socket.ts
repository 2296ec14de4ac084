import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * What waits in the kernel to be sent is dropped. After an ordinary close it would still be sent, and could be carried out
 * when the network is back.
 */
export function resetSocket(socket: Duplex): void {
  const { pending, readyState, resetAndDestroy } = socket as Partial<Socket>;
  // Before it has connected nothing has been sent, and a reset would wait until it has, or fail. One that is being closed
  // would not be closed by a reset, and would keep the process.
  if (resetAndDestroy === undefined || pending !== false || readyState !== 'open') {
    socket.destroy();
    return;
  }
  try {
    resetAndDestroy.call(socket);
  } catch {
    // A Unix socket has no reset; there is no network to keep what was sent over it.
    socket.destroy();
  }
}
