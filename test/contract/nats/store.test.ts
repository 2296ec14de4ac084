import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { EngineRefusalError } from '../../../lib/core/errors.js';
import type { LeaseRecord } from '../../../lib/core/lease/lease-store.js';
import type { NatsLeaseStore } from '../../../lib/electors/nats/nats-lease-store.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { NatsServer } from '../../fixtures/engines/nats-server.js';
import { until } from '../../fixtures/until.js';
import { holder, openStore, read, soon, take } from './store-rig.js';

describeEngine('NatsLeaseStore', ['nats-server'], () => {
  let server: NatsServer;
  let admin: NatsConnection;
  let store: NatsLeaseStore;
  let bucket: string;
  let opened = 0;
  const stores: NatsLeaseStore[] = [];

  beforeAll(async () => {
    server = await NatsServer.start();
    admin = await connect({ servers: server.address });
  });

  afterAll(async () => {
    await admin.close();
    await server.stop();
  });

  const open = (leaseMs?: number) => {
    const source = { options: { servers: server.address } };
    const another = openStore({ source, namespace: 'ns', bucket, ...(leaseMs !== undefined && { leaseMs }) });
    stores.push(another);
    return another;
  };

  beforeEach(() => {
    bucket = `bucket-${++opened}`;
    store = open();
  });

  afterEach(async () => {
    await Promise.all(stores.splice(0).map((it) => it.close()));
  });

  const put = (value: string) => admin.request(`$KV.${bucket}.ns.default`, value, { timeout: 5000 });
  const serverTimeUs = async () => {
    const name = `clock-${++opened}`;
    const { created } = await server.ask(`STREAM.CREATE.${name}`, { name, subjects: [name], storage: 'memory' });
    return BigInt(Date.parse(String(created))) * 1000n;
  };

  test('creates its bucket as the tools of NATS would, in files, with one value a key and no TTL', async () => {
    await take(store, holder('a'));

    const { config } = await server.ask(`STREAM.INFO.KV_${bucket}`);

    expect(config).toMatchObject({
      subjects: [`$KV.${bucket}.>`],
      storage: 'file',
      max_msgs_per_subject: 1,
      max_age: 0,
      discard: 'new',
      allow_rollup_hdrs: true,
      deny_delete: true,
      num_replicas: 1,
    });
  });

  test('may be opened by many at once over a bucket that is not there', async () => {
    const records = await Promise.all(Array.from({ length: 8 }, () => read(open())));

    expect(records.every(({ kind }) => kind === 'absent')).toBe(true);
  });

  test('takes nothing on the strength of what is outdated', async () => {
    const outdated: LeaseRecord[] = [await read(store)];
    const first = await take(store, holder('a'));
    outdated.push(await read(store));
    await store.renew(first, soon());
    outdated.push(await read(store));
    await store.release(first, soon());
    outdated.push(await read(store));
    const second = await take(store, holder('b'));
    outdated.push(await read(store), { kind: 'released', token: second.token });
    await store.renew(second, soon());
    const now = await read(store);

    for (const basis of outdated) {
      const result = await store.acquire({ ...holder('late'), basis, tokenAbove: 0n }, soon());
      expect({ basis, result }).toEqual({ basis, result: { won: false, record: now } });
    }
  });

  test('gives out tokens that are not below the clock of the server, also where there was no record to tell it', async () => {
    const before = await serverTimeUs();
    const first = await take(store, holder('a'));
    expect(first.token).toBeGreaterThanOrEqual(before);
    await store.release(first, soon());

    const again = await serverTimeUs();
    await put(JSON.stringify({ state: 'released', token: '1' }));
    const second = await take(store, holder('b'));
    expect(second.token).toBeGreaterThanOrEqual(again);
  });

  test('gives out a larger token in a bucket that was created anew, to one that knows of none, and says so', async () => {
    const first = await take(store, holder('a'));
    const [before] = (await store.diagnose()).filter(({ summary }) => summary.includes('created anew'));
    expect(before).toBeUndefined();
    await server.ask(`STREAM.DELETE.KV_${bucket}`);

    expect(await read(store)).toEqual({ kind: 'absent' });
    const next = await take(open(), holder('b'));

    expect(next.token).toBeGreaterThan(first.token);
    expect(Number(next.version)).toBeLessThanOrEqual(2);
    expect(await store.diagnose()).toContainEqual(
      expect.objectContaining({ level: 'warning', summary: expect.stringMatching(/deleted, and created anew at 20/) }),
    );
  });

  test('renews nothing by a sequence that is somebody else’s in a bucket that was created anew', async () => {
    const first = await take(store, holder('a'));
    await server.ask(`STREAM.DELETE.KV_${bucket}`);
    const other = open();
    const next = await take(other, holder('b'));
    expect(next.version).toBe(first.version);

    expect(await store.renew(first, soon())).toMatchObject({ renewed: false, record: { holder: 'b#1' } });
    await store.release(first, soon());
    const basis: LeaseRecord = { kind: 'held', ...first };
    expect(await store.acquire({ ...holder('c'), basis, tokenAbove: 0n }, soon())).toMatchObject({ won: false });

    expect(await read(other)).toMatchObject({ holder: 'b#1', version: next.version });
  });

  test('reads a key that the tools of NATS have deleted as absent, and takes it with a larger token', async () => {
    const first = await take(store, holder('a'));
    const { headers } = await import('@nats-io/transport-node');
    const marker = headers();
    marker.set('KV-Operation', 'PURGE');
    await admin.request(`$KV.${bucket}.ns.default`, '', { headers: marker, timeout: 5000 });

    expect(await read(store)).toEqual({ kind: 'absent' });
    expect(await store.renew(first, soon())).toEqual({ renewed: false, record: { kind: 'absent' } });
    const next = await take(store, holder('b'));
    expect(next.token).toBeGreaterThan(first.token);
  });

  test.each(['not a lease', '{}', '{"state":"held","token":"1"}', '{"state":"released","token":1}', 'null'])(
    'refuses a key to which something else has written %s',
    async (value) => {
      await read(store);
      await put(value);

      await expect(read(store)).rejects.toThrow(EngineRefusalError);
      await expect(read(store)).rejects.toThrow(/Delete the key, or use another namespace or bucket/);
    },
  );

  test('hints at a release, not at a renewal or at what somebody else says', async () => {
    const watching = new AbortController();
    const hints: unknown[] = [];
    const watch = open().watch('default', (released) => hints.push(released), watching.signal);
    await until(() => hints.length === 1);
    const own = await take(store, holder('a'));
    await store.renew(own, soon());
    await read(store);
    expect(hints).toEqual([undefined]);

    await store.release(own, soon());
    await until(() => hints.length === 2);
    expect(hints[1]).toEqual({ token: own.token });

    watching.abort();
    await watch;
  });

  test('takes nothing on the ground of a notice that is not true', async () => {
    const own = await take(store, holder('a'));

    const basis: LeaseRecord = { kind: 'released', token: own.token };
    const result = await open().acquire({ ...holder('b'), basis, tokenAbove: own.token }, soon());

    expect(result).toMatchObject({ won: false, record: { kind: 'held', holder: 'a#1' } });
  });

  test('keeps elections apart whose names keys do not allow', async () => {
    const names = ['a.b', 'a=2eb', 'a b', 'a*', '>', '', 'ä', 'A', 'a'];
    for (const [index, election] of names.entries()) {
      const claim = { ...holder(`h${index}`), election, basis: { kind: 'absent' } as const, tokenAbove: 0n };
      await store.read(election, soon());
      expect(await store.acquire(claim, soon())).toMatchObject({ won: true });
    }
    for (const [index, election] of names.entries()) {
      expect(await store.read(election, soon())).toMatchObject({ identity: `h${index}` });
    }
  });
});
