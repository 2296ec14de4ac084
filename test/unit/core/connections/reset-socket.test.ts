import { Socket, connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { expect, test } from '@jest/globals';
import { resetSocket } from '../../../../lib/core/connections/reset-socket.js';

async function connected() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[peer]] = await Promise.all([accepted, once(socket, 'connect')]);
  return { server, socket, peer };
}

test('a connection is reset: its peer hears of it', async () => {
  const { server, socket, peer } = await connected();

  resetSocket(socket);

  await expect(once(peer.resume(), 'end')).rejects.toMatchObject({ code: 'ECONNRESET' });
  server.close();
});

test('a socket that was never connected is destroyed, without an error that nobody listens for', async () => {
  const socket = new Socket();

  resetSocket(socket);

  await once(socket, 'close');
  expect([socket.destroyed, socket.errored]).toEqual([true, null]);
});

test('one that is connecting does not connect any more', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const events: string[] = [];
  socket.on('connect', () => events.push('connect'));

  resetSocket(socket);

  await once(socket, 'close');
  expect(events).toEqual([]);
  server.close();
});

test('what is no socket is destroyed', () => {
  const stream = new Duplex();

  resetSocket(stream);

  expect(stream.destroyed).toBe(true);
});
