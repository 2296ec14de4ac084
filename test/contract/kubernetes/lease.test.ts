import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { HeldRecord } from '../../../lib/core/lease/lease-store.js';
import { REAL_API } from '../../fixtures/engines/kubernetes-real-api.js';
import { until } from '../../fixtures/until.js';
import { scripted, SharedApi } from './shared-api.js';
import { KEY, soon, StoreRig } from './store-rig.js';

/** For a real server, on a busy machine. */
const START_MS = 60_000;
const NOTE = 'nestjs-lifecycle/term';

describe('A Lease', () => {
  const server = new SharedApi();
  let rig: StoreRig;

  beforeEach(async () => {
    rig = await StoreRig.open(REAL_API === undefined ? undefined : await server.started());
  }, START_MS);

  afterEach(() => rig.close());

  afterAll(() => server.stop());

  test('is written as client-go writes it', async () => {
    const store = rig.store();
    const lease = await rig.take(store);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const { spec } = await rig.lease();
    expect(spec).toEqual({
      holderIdentity: 'a#1',
      leaseDurationSeconds: 15,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 0,
    });

    await store.renew(lease, soon());
    await store.renew(lease, soon());
    const renewed = (await rig.lease()).spec;
    expect(renewed).toEqual({ ...spec, renewTime: time });
    const seconds = (it: unknown) => Math.floor(Date.parse(String(it)) / 1000);
    expect(seconds(renewed?.['renewTime'])).toBeGreaterThanOrEqual(seconds(spec?.['renewTime']) + 2);

    await store.release(lease, soon());
    expect((await rig.lease()).spec).toMatchObject({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      leaseTransitions: 0,
    });
    expect((await rig.lease()).spec?.['acquireTime']).toBe((await rig.lease()).spec?.['renewTime']);

    await rig.take(store, 'b');
    expect((await rig.lease()).spec).toMatchObject({
      holderIdentity: 'b#1',
      leaseDurationSeconds: 15,
      leaseTransitions: 1,
    });
  });

  test('keeps labels and annotations of others', async () => {
    const store = rig.store();
    const lease = await rig.take(store);
    await rig.clerk.change(KEY, (it) => {
      it.metadata['labels'] = { team: 'orders' };
      it.metadata.annotations = { ...it.metadata.annotations, other: 'kept' };
    });

    const first = await store.renew(lease, soon());
    expect(first.renewed || (await store.renew(lease, soon())).renewed).toBe(true);

    expect((await rig.lease()).metadata).toMatchObject({ labels: { team: 'orders' }, annotations: { other: 'kept' } });
  });

  // A server of before they were there drops them.
  scripted('keeps fields of others in the spec', async () => {
    const store = rig.store();
    const lease = await rig.take(store);
    await rig.write({ strategy: 'OldestEmulationVersion' });

    const first = await store.renew(lease, soon());
    expect(first.renewed || (await store.renew(lease, soon())).renewed).toBe(true);

    expect((await rig.lease()).spec).toMatchObject({ strategy: 'OldestEmulationVersion' });
  });

  test('to which others write labels is renewed all the same, and looks no more alive by that', async () => {
    const [store, other] = [rig.store(), rig.store()];
    const lease = await rig.take(store);
    const { remainingMs: _left, ...before } = (await rig.read(other)) as HeldRecord;
    for (let round = 0; round < 3; round++) {
      await rig.clerk.change(KEY, (it) => {
        it.metadata['labels'] = { round: String(round) };
      });
      expect(await rig.read(other)).toMatchObject(before);
    }

    const first = await store.renew(lease, soon());
    const second = first.renewed ? first : await store.renew(lease, soon());

    expect(first.renewed ? undefined : first.record).toMatchObject(first.renewed ? {} : { holder: 'a#1' });
    expect(second.renewed).toBe(true);
    const { version } = (await rig.read(other)) as { version?: string };
    expect(version).not.toBe(before.version);
  });

  test('that is deleted in mid-term is not renewed, and not there afterwards', async () => {
    const [store, other] = [rig.store(), rig.store()];
    const lease = await rig.take(store);
    await rig.clerk.delete(KEY);

    expect(await store.renew(lease, soon())).toEqual({ renewed: false, record: { kind: 'absent' } });

    expect(await rig.isThere()).toBe(false);
    expect(await rig.read(other)).toEqual({ kind: 'absent' });
    await store.release(lease, soon());
    expect(await rig.isThere()).toBe(false);
  });

  test('that is deleted before it is taken over is not won, and not there afterwards', async () => {
    const [store, other] = [rig.store(), rig.store()];
    await store.release(await rig.take(store), soon());
    const basis = await rig.read(other);
    await rig.clerk.delete(KEY);

    const result = await other.acquire({ ...rig.holder('b'), basis, tokenAbove: 0n }, soon());

    expect(result).toEqual({ won: false, record: { kind: 'absent' } });
    expect(await rig.isThere()).toBe(false);
  });

  scripted('that was created by mistake and may not be deleted is one of somebody who does not lead', async () => {
    rig.api.leases.comparesUids = false;
    const store = rig.store();
    const lease = await rig.take(store);
    await rig.clerk.delete(KEY);
    rig.api.forbidden.add('delete');

    const { renewed } = await store.renew(lease, soon());

    expect(renewed).toBe(false);
    expect((await rig.lease()).spec).toMatchObject({ holderIdentity: 'a#1', leaseDurationSeconds: 15 });
    expect(await rig.read(store)).toMatchObject({ kind: 'held', holder: 'a#1 (nobody)' });
    expect(await store.renew(lease, soon())).toEqual({ renewed: false });
    await store.release(lease, soon());
    expect((await rig.lease()).spec).toMatchObject({ holderIdentity: 'a#1' });
  });

  scripted('that was created by mistake, with the answer lost, is not taken for the one that was deleted', async () => {
    rig.api.leases.comparesUids = false;
    const store = rig.store();
    const lease = await rig.take(store);
    await rig.clerk.delete(KEY);
    rig.api.failNext('update', 'drop-reply');
    await expect(store.renew(lease, soon())).rejects.toThrow();
    expect((await rig.lease()).spec).toMatchObject({ holderIdentity: 'a#1' });

    expect(await store.renew(lease, soon())).toEqual({ renewed: false });
  });

  test('that somebody else takes is not renewed and not released', async () => {
    const store = rig.store();
    const lease = await rig.take(store);
    await store.renew(lease, soon());
    const time = new Date().toISOString().replace('Z', '111Z');
    await rig.write({ holderIdentity: 'go', acquireTime: time, renewTime: time, leaseTransitions: 1 });

    const result = await store.renew(lease, soon());
    await store.release(lease, soon());

    expect(result).toMatchObject({
      renewed: false,
      record: { kind: 'held', holder: 'go', identity: 'go', leaseMs: 15_000 },
    });
    expect((result.renewed ? undefined : result.record) as object).not.toHaveProperty('token');
    expect((await rig.lease()).spec).toMatchObject({ holderIdentity: 'go' });
  });

  test('that a rival released has no token, whatever note is left on it', async () => {
    const store = rig.store();
    const lease = await rig.take(store);
    await store.renew(lease, soon());
    await store.release(lease, soon());
    expect(await rig.read(store)).toMatchObject({ kind: 'released', token: lease.token });
    const time = new Date().toISOString().replace('Z', '222Z');
    await rig.write({ holderIdentity: '', acquireTime: time, renewTime: time, leaseTransitions: 1 });

    const record = await rig.read(store);
    const late = await store.acquire(
      { ...rig.holder('b'), basis: { kind: 'released', token: lease.token }, tokenAbove: 0n },
      soon(),
    );

    expect((await rig.lease()).metadata.annotations).toHaveProperty([NOTE]);
    expect(record).toEqual({ kind: 'released', version: expect.any(String) });
    expect(late.won).toBe(false);
  });

  test('that is emptied by hand ends the term, and counts as held until it would have run out', async () => {
    const [store, other] = [rig.store(), rig.store()];
    const lease = await rig.take(store);
    await store.renew(lease, soon());
    await rig.write({ holderIdentity: '' });

    expect(await rig.read(other)).toMatchObject({ kind: 'held', holder: 'a#1', leaseMs: 15_000 });
    expect(await store.renew(lease, soon())).toEqual({ renewed: false });
  });

  test('with a note that is no note is read by its spec', async () => {
    const store = rig.store();
    await rig.take(store);
    for (const note of ['', 'nonsense', '[]', '{"holder":1}', '{"holder":"a#1","leaseMs":-1}']) {
      await rig.clerk.change(KEY, (it) => {
        it.metadata.annotations = { [NOTE]: note };
      });
      expect(await rig.read(store)).toMatchObject({ kind: 'held', holder: 'a#1', leaseMs: 15_000 });
    }
    await rig.write({ leaseDurationSeconds: undefined });
    expect(await rig.read(store)).toMatchObject({ kind: 'held', leaseMs: 15_000 });
  });

  scripted('is taken in one request when the watch has told that it was released', async () => {
    const [store, other] = [rig.store(), rig.store()];
    const { hints } = rig.watch(other);
    const lease = await rig.take(store);
    // The first one says that the watch is open.
    await until(() => hints.length > 0);
    await store.renew(lease, soon());
    await store.release(lease, soon());
    await until(() => hints.some((it) => it?.token === lease.token));
    const { get } = rig.api.calls;

    const basis = { kind: 'released', token: lease.token } as const;
    const result = await other.acquire({ ...rig.holder('b'), basis, tokenAbove: 0n }, soon());

    expect(result.won).toBe(true);
    expect(rig.api.calls.get).toBe(get);
  });

  scripted('that is deleted is a hint, also after the watch had to begin anew', async () => {
    const store = rig.store();
    const { hints } = rig.watch(store);
    await until(() => rig.api.watches === 1);
    await rig.take(rig.store());
    await until(() => hints.length > 0);
    // Both at once: the events in between are gone when it is opened again.
    rig.api.endWatches();
    const { length } = hints;
    rig.api.leases.delete(KEY);
    rig.api.leases.compact();

    await until(() => hints.length > length);
  });

  scripted('whose watch has gone mute is looked at all the same', async () => {
    const store = rig.store();
    const { hints } = rig.watch(store);
    await until(() => rig.api.watches === 1 && hints.length > 0);
    rig.api.muteWatches();
    const { length } = hints;

    await until(() => hints.length >= length + 2);
  });
});
