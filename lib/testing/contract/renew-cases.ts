import assert from 'node:assert/strict';
import type { LeaseStoreCase } from './store-stage.js';

/** Keeping a lease, and giving it back. */
export const RENEW_CASES: readonly LeaseStoreCase[] = [
  {
    name: 'a lease is renewed by its holder, again and again, and keeps its token',
    async act(stage) {
      const store = await stage.createStore();
      let lease = await stage.acquire(store, { leaseMs: 20 * stage.shortLeaseMs });
      const { version, remainingMs } = await stage.held(store);
      if (remainingMs !== undefined) {
        const enoughMs = remainingMs - stage.shortLeaseMs;
        await stage.arena.until(async () => ((await stage.held(store)).remainingMs ?? 0) <= enoughMs);
      }
      const before = await stage.held(store);

      for (let round = 0; round < 3; round++) lease = await stage.renew(store, lease);

      const after = await stage.held(store);
      await stage.assertHeldBy(store, lease);
      if (version !== undefined) assert.notEqual(after.version, version);
      if (remainingMs !== undefined) assert.ok((after.remainingMs ?? 0) > (before.remainingMs ?? 0), 'not extended');
    },
  },
  {
    name: 'a lease is renewed also when the answer to the renewal before was lost',
    async act(stage) {
      const store = await stage.createStore();
      const lease = await stage.acquire(store);
      await stage.renew(store, lease);

      // The holder still has the version of before.
      const result = await store.renew(lease, stage.signal);

      if (result.renewed) return;
      assert.equal(result.record?.kind, 'held');
      assert.equal(result.record.holder, lease.holder);
      assert.ok(result.record.version !== undefined, 'there is no version to renew from');
      await stage.renew(store, { ...lease, version: result.record.version });
    },
  },
  {
    name: 'a lease is not renewed by somebody else, nor under another token',
    async act(stage) {
      const [one, other] = [await stage.createStore(), await stage.createStore()];
      const lease = await stage.acquire(one);
      const before = await stage.held(one);

      for (const stranger of [
        { ...lease, ...stage.holder() },
        { ...lease, ...stage.holder({ identity: lease.identity }) },
        { ...lease, token: lease.token - 1n },
        { ...lease, token: lease.token + 1n },
      ]) {
        const result = await other.renew(stranger, stage.signal);
        assert.equal(result.renewed, false, `renewed by ${stranger.holder} under ${stranger.token}`);
      }

      await stage.assertHeldBy(one, lease);
      assert.equal((await stage.held(one)).version, before.version);
    },
  },
  {
    name: 'a lease is not renewed after it was released, or never taken',
    async act(stage) {
      const store = await stage.createStore();
      const never = { ...stage.holder(), token: 1n };
      assert.equal((await store.renew(never, stage.signal)).renewed, false);
      await stage.absent(store);
      const lease = await stage.acquire(store);
      await store.release(lease, stage.signal);

      assert.equal((await store.renew(lease, stage.signal)).renewed, false);

      await stage.released(store);
    },
  },
  {
    name: 'a lease that was released is read as released by every store',
    async act(stage) {
      const [one, other] = [await stage.createStore(), await stage.createStore()];
      const lease = await stage.acquire(one);

      await one.release(lease, stage.signal);

      for (const store of [one, other]) {
        const { token } = await stage.released(store);
        if (token !== undefined) assert.equal(token, lease.token);
      }
      await stage.acquire(other);
    },
  },
  {
    name: 'a lease is released whatever its version is by now, and by a holder that was never told its token',
    async act(stage) {
      const store = await stage.createStore();
      const lease = await stage.acquire(store);
      await stage.renew(store, lease);
      await store.release(lease, stage.signal);
      await stage.released(store);

      const { token: _token, version: _version, ...holder } = await stage.acquire(store);
      await store.release(holder, stage.signal);

      await stage.released(store);
    },
  },
  {
    name: 'a release of what is gone, or was never there, is no error and changes nothing',
    async act(stage) {
      const store = await stage.createStore();
      await store.release(stage.holder(), stage.signal);
      await stage.absent(store);
      const lease = await stage.acquire(store);
      await store.release(lease, stage.signal);
      const released = await stage.released(store);

      await store.release(lease, stage.signal);

      assert.deepEqual(await stage.released(store), released);
    },
  },
  {
    name: 'a release leaves a lease alone that is somebody else’s, or one’s own under another token',
    async act(stage) {
      const [one, other] = [await stage.createStore(), await stage.createStore()];
      const former = await stage.acquire(other);
      await other.release(former, stage.signal);
      const lease = await stage.acquire(one);

      await other.release(former, stage.signal);
      await other.release(stage.holder({ identity: lease.identity }), stage.signal);
      await one.release({ ...lease, token: lease.token - 1n }, stage.signal);

      await stage.assertHeldBy(one, await stage.renew(one, lease));
    },
  },
];
