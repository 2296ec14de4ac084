import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { EtcdClient } from '../../../lib/electors/etcd/etcd-client.js';
import { soon } from './store-rig.js';

const ELECTIONS = 20;

/** To check a password costs a member much of its time, so that it would answer nobody if all asked for that at once. */
describe('A token of etcd', () => {
  let server: Server | undefined;
  let client: EtcdClient | undefined;
  let valid = '';
  let given = 0;
  /** How the next ones who ask for a token are answered, if not by one. */
  let ill: (() => Promise<void>)[] = [];

  afterEach(async () => {
    client?.close();
    server?.closeAllConnections();
    server?.close();
    ill = [];
    given = 0;
  });

  const open = async () => {
    server = createServer((request, response) => {
      const reply = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
      const authenticate = async () => {
        await ill.shift()?.();
        valid = `token-${++given}`;
        reply(200, { token: valid });
      };
      request.resume().on('end', () => {
        if (request.url === '/v3/auth/authenticate') void authenticate();
        else if (request.headers.authorization === valid) reply(200, {});
        else reply(401, { message: 'etcdserver: invalid auth token', code: 16 });
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const endpoints = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`];
    return (client = new EtcdClient({ endpoints, tls: undefined, credentials: { username: 'u', password: 'p' } }));
  };

  const askAtOnce = (it: EtcdClient) =>
    Promise.all(Array.from({ length: ELECTIONS }, () => it.call('read', '/v3/kv/range', {}, soon())));

  test('is asked for once, however many elections need it', async () => {
    await askAtOnce(await open());

    expect(given).toBe(1);
  });

  test('is asked for once again when it has expired', async () => {
    const it = await open();
    await askAtOnce(it);
    valid = 'none of those that were given';

    await askAtOnce(it);

    expect(given).toBe(2);
  });

  test('that one request gave up waiting for is asked for by the others', async () => {
    const it = await open();
    const giveUp = new AbortController();
    ill = [
      () => {
        giveUp.abort(new Error('given up'));
        return new Promise(() => undefined);
      },
    ];
    const givenUp = expect(it.call('read', '/v3/kv/range', {}, giveUp.signal)).rejects.toThrow('given up');

    await askAtOnce(it);

    await givenUp;
    expect(given).toBe(1);
  });

  test('that is late is waited for no longer than each has time', async () => {
    const it = await open();
    const late = new AbortController();
    const giveUp = new AbortController();
    ill = [() => new Promise(() => undefined)];
    const first = it.call('read', '/v3/kv/range', {}, late.signal);
    const second = it.call('read', '/v3/kv/range', {}, giveUp.signal);

    giveUp.abort(new Error('given up'));

    await expect(second).rejects.toThrow('given up');
    late.abort(new Error('too late'));
    await expect(first).rejects.toThrow('too late');
  });
});
