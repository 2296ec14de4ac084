import { connect, headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { NatsClient } from '../../../lib/electors/nats/nats-client.js';
import type { NatsLeaseStore } from '../../../lib/electors/nats/nats-lease-store.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { NatsServer } from '../../fixtures/engines/nats-server.js';
import { holder, openStore, read, soon, take } from './store-rig.js';

/** What servers from 2.11 on answer in a cluster while another write of the key is under way; alone they say it as ever. */
const CONSTANT = { error: { code: 400, err_code: 10164, description: 'wrong last sequence' } };

/** The same connection to a server that says so. */
function asLaterServersSayIt(connection: NatsConnection): NatsClient {
  const request = async (...args: Parameters<NatsConnection['request']>) => {
    const message = await connection.request(...args);
    if (!message.string().includes('10071')) return message;
    return { data: message.data, string: () => JSON.stringify(CONSTANT) } as Msg;
  };
  return new Proxy(connection, {
    get: (target, name) => {
      const value: unknown = name === 'request' ? request : Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

describeEngine(
  'A cluster of NATS 2.11 or later that refuses a write since another one is under way',
  ['nats-server'],
  () => {
    let server: NatsServer;
    let connection: NatsConnection;
    const stores: NatsLeaseStore[] = [];

    beforeAll(async () => {
      server = await NatsServer.start();
    });

    afterAll(() => server.stop());

    beforeEach(async () => {
      connection = await connect({ servers: server.address });
    });

    afterEach(async () => {
      await Promise.all(stores.splice(0).map((it) => it.close()));
      await connection.close();
    });

    const open = (bucket: string) => {
      const store = openStore({ source: { client: asLaterServersSayIt(connection) }, namespace: 'ns', bucket });
      stores.push(store);
      return store;
    };

    test('makes an attempt fail that another one was faster than, and refuses nobody', async () => {
      const candidates = Array.from({ length: 6 }, () => open('at-once'));
      const bases = await Promise.all(candidates.map(read));

      const results = await Promise.all(
        candidates.map((it, i) =>
          it.acquire({ ...holder(`c${i}`), basis: bases[i] ?? { kind: 'absent' }, tokenAbove: 0n }, soon()),
        ),
      );

      expect(results.filter(({ won }) => won)).toHaveLength(1);
    });

    test('makes a rehearsal change nothing, as it should', async () => {
      const store = open('rehearsed');
      await take(store, holder('a'));
      const before = await read(store);

      await store.rehearse('default', soon());

      expect(await read(store)).toEqual(before);
    });
  },
);

describeEngine('A bucket of NATS 2.11 or later whose keys leave a marker when they run out', ['nats-server'], () => {
  test('is one without that key', async () => {
    const server = await NatsServer.start();
    const admin = await connect({ servers: server.address });
    const store = openStore({ source: { client: admin }, namespace: 'ns', bucket: 'marked' });
    const first = await take(store, holder('a'));
    // As the server stores it, with nothing in it, when a bucket has a TTL and a TTL of markers.
    const marker = headers();
    marker.set('Nats-Marker-Reason', 'MaxAge');
    await admin.request('$KV.marked.ns.default', '', { headers: marker, timeout: 5000 });

    expect(await read(store)).toEqual({ kind: 'absent' });
    expect((await take(store, holder('b'))).token).toBeGreaterThan(first.token);

    await store.close();
    await admin.close();
    await server.stop();
  });
});
