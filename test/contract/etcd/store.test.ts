import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { EtcdServer } from '../../fixtures/engines/etcd-server.js';
import { until } from '../../fixtures/until.js';
import type { EtcdLeaseStore } from '../../../lib/electors/etcd/etcd-lease-store.js';
import { soon, StoreRig } from './store-rig.js';

const LEASE_MS = 300;

describeEngine('EtcdLeaseStore', ['etcd'], () => {
  let server: EtcdServer;
  let rig: StoreRig;

  beforeAll(async () => {
    server = await EtcdServer.start();
  });

  afterAll(() => server.stop());

  beforeEach(() => {
    rig = new StoreRig([server.url]);
  });

  afterEach(() => rig.close());

  /** Watches until the returned function is called. */
  const watched = async (store: EtcdLeaseStore) => {
    const control = new AbortController();
    let isOpen = false;
    const over = store.watch('default', () => (isOpen = true), control.signal);
    await until(() => isOpen);
    return async () => {
      control.abort();
      await over;
    };
  };

  const leftOf = async (store: EtcdLeaseStore) => {
    const record = await rig.read(store);
    return record.kind === 'held' ? record.remainingMs : undefined;
  };

  test('that watches knows what is left of a lease, and that it has run out; one that does not knows neither', async () => {
    const [holder, watching, reading] = [rig.open(), rig.open(), rig.open()];
    const unwatch = await watched(watching);
    const lease = await rig.take(holder, rig.holder('a', LEASE_MS));
    await until(async () => (await leftOf(watching)) !== undefined);

    await until(async () => (await rig.read(watching)).kind === 'vacant');

    expect(await rig.read(reading)).toMatchObject({ kind: 'held', holder: lease.holder, version: lease.version });
    expect(await leftOf(reading)).toBeUndefined();
    const next = await rig.take(watching, rig.holder('b'));
    expect(next.token).toBeGreaterThan(lease.token);
    expect(await holder.renew(lease, soon())).toMatchObject({ renewed: false, record: { holder: next.holder } });
    await unwatch();
  });

  test('whose watch has told that a lease has run out does not take it when it was renewed meanwhile', async () => {
    const [holder, watching] = [rig.open(), rig.open()];
    const unwatch = await watched(watching);
    const lease = await rig.take(holder, rig.holder('a', LEASE_MS));
    await until(async () => (await rig.read(watching)).kind === 'vacant');
    const basis = await rig.read(watching);

    const renewed = await holder.renew(lease, soon());
    const attempt = await watching.acquire({ ...rig.holder('b'), basis, tokenAbove: 0n }, soon());

    expect([renewed.renewed, attempt.won]).toEqual([true, false]);
    await unwatch();
  });

  test('gives out tokens of at least the server’s time of day, so that they rise when a cluster begins anew', async () => {
    const before = BigInt(Math.floor(Date.now() / 1000)) * 1_000_000n;
    const lease = await rig.take(rig.open(), rig.holder('a'));
    await server.call('/v3/kv/deleterange', { key: rig.key });
    const next = await rig.take(rig.open(), rig.holder('b'));

    expect(lease.token).toBeGreaterThanOrEqual(before);
    expect(next.token).toBeGreaterThanOrEqual(before);
  });

  test('takes a lease on a basis without a version as far as that says what it is, and no further', async () => {
    const [one, other] = [rig.open(), rig.open()];
    const lease = await rig.take(one, rig.holder('a'));
    const { identity, leaseMs } = lease;
    const stranger = { kind: 'held', holder: 'somebody#1', identity, leaseMs, remainingMs: 0 } as const;
    for (const basis of [
      stranger,
      { ...stranger, token: lease.token },
      { kind: 'released' },
      { kind: 'vacant' },
    ] as const) {
      const attempt = await other.acquire({ ...rig.holder('b'), basis, tokenAbove: 0n }, soon());
      assert.equal(attempt.won, false);
    }

    const basis = { ...stranger, holder: lease.holder };
    const taken = await other.acquire({ ...rig.holder('b'), basis, tokenAbove: 0n }, soon());

    assert.ok(taken.won && taken.token > lease.token);
  });

  test('writes one key, which stays, and none of etcd’s leases', async () => {
    const store = rig.open();
    const lease = await rig.take(store, { ...rig.holder('a'), address: 'http://10.0.0.7:3000' });
    await store.release(lease, soon());

    const { kvs } = await server.call('/v3/kv/range', { key: rig.key });
    const [found] = kvs as [{ value: string; lease?: string }];
    expect(JSON.parse(Buffer.from(found.value, 'base64').toString())).toEqual({
      state: 'released',
      token: `${lease.token}`,
    });
    expect(found.lease).toBeUndefined();
    expect(await server.call('/v3/lease/leases')).not.toHaveProperty('leases');
  });
});
