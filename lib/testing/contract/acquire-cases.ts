import assert from 'node:assert/strict';
import type { LeaseStoreCase } from './store-stage.js';

/** Far above what any case has given out before: an hour of microseconds. */
const FAR = 3_600_000_000n;

/** Reading, and taking a lease. */
export const ACQUIRE_CASES: readonly LeaseStoreCase[] = [
  {
    name: 'an election that nobody has stood for is absent',
    async act(stage) {
      await stage.absent(await stage.createStore());
    },
  },
  {
    name: 'a lease that was taken is held, and every store reads by whom and for how long',
    async act(stage) {
      const [one, other] = [await stage.createStore(), await stage.createStore()];
      const lease = await stage.acquire(one, { address: 'http://10.0.0.7:3000' });

      for (const store of [one, other]) {
        const record = await stage.held(store);
        assert.equal(record.address, 'http://10.0.0.7:3000');
        assert.equal(record.leaseMs, lease.leaseMs);
        await stage.assertHeldBy(store, lease);
      }
      assert.ok(lease.token > 0n, `the token is ${lease.token}`);
    },
  },
  {
    name: 'a lease that is held shows what is left of it, or a version, so that a dead holder can be told',
    async act(stage) {
      const store = await stage.createStore();
      const lease = await stage.acquire(store);

      const { remainingMs, version } = await stage.held(store);

      assert.ok(remainingMs !== undefined || version !== undefined, 'it shows neither');
      if (remainingMs === undefined) return;
      assert.ok(remainingMs > 0 && remainingMs <= lease.leaseMs, `${remainingMs} ms of ${lease.leaseMs} are left`);
    },
  },
  {
    name: 'of several that take a lease at once one wins',
    async act(stage) {
      const stores = await Promise.all(Array.from({ length: 6 }, () => stage.createStore()));
      for (let round = 0; round < 3; round++) {
        const basis = await stage.read(stores[0] ?? (await stage.createStore()));
        const claims = stores.map((store) => ({ store, claim: stage.claim(basis) }));

        const results = await Promise.all(claims.map(({ store, claim }) => store.acquire(claim, stage.signal)));

        const winners = claims.flatMap(({ store, claim }, index) => {
          const result = results[index];
          return result?.won === true ? [{ store, lease: { ...claim, token: result.token } }] : [];
        });
        const [winner] = winners;
        assert.equal(winners.length, 1);
        assert.ok(winner);
        await stage.assertHeldBy(winner.store, winner.lease);
        await winner.store.release(winner.lease, stage.signal);
      }
    },
  },
  {
    name: 'a lease that somebody holds is not taken on the ground that it was absent, or released',
    async act(stage) {
      const [one, other] = [await stage.createStore(), await stage.createStore()];
      const absent = await stage.absent(other);
      await one.release(await stage.acquire(one), stage.signal);
      const released = await stage.released(other);
      const lease = await stage.acquire(one);

      for (const basis of [absent, released]) {
        const result = await other.acquire(stage.claim(basis), stage.signal);
        assert.equal(result.won, false, `it was taken as ${basis.kind}`);
        if (!result.won && result.record?.kind === 'held') assert.equal(result.record.holder, lease.holder);
        await stage.assertHeldBy(other, lease);
      }
    },
  },
  {
    name: 'an attempt that arrives late, after somebody else had the lease, changes nothing',
    async act(stage) {
      const [one, other] = [await stage.createStore(), await stage.createStore()];
      const absent = await stage.absent(other);
      await one.release(await stage.acquire(one), stage.signal);
      const early = await stage.released(other);
      await one.release(await stage.acquire(one), stage.signal);
      const now = await stage.released(other);

      const bases = early.token === undefined && early.version === undefined ? [absent] : [absent, early];
      for (const basis of bases) {
        const result = await other.acquire(stage.claim(basis), stage.signal);
        assert.equal(result.won, false, `it was taken on an outdated ground (${basis.kind})`);
        assert.deepEqual(await stage.released(other), now);
      }
    },
  },
  {
    name: 'a later holder has a larger token, whichever store it is given by',
    async act(stage) {
      const stores = [await stage.createStore(), await stage.createStore()];
      let last = 0n;
      for (let turn = 0; turn < 6; turn++) {
        const store = stores[turn % 2] ?? (await stage.createStore());
        const lease = await stage.acquire(store);
        assert.ok(lease.token > last, `${lease.token} after ${last}`);
        last = lease.token;
        await store.release(lease, stage.signal);
      }
    },
  },
  {
    name: 'a token is larger than the one that the candidate knows of, where the store is free to choose',
    async act(stage) {
      if (!stage.freeTokens) return;
      const store = await stage.createStore();
      const first = await stage.acquire(store);
      await store.release(first, stage.signal);
      const tokenAbove = first.token + FAR;

      const second = await stage.acquire(store, { tokenAbove });

      assert.ok(second.token > tokenAbove, `${second.token} is not above ${tokenAbove}`);
      await store.release(second, stage.signal);
      const third = await stage.acquire(store);
      assert.ok(third.token > second.token, `${third.token} after ${second.token}`);
    },
  },
  {
    name: 'leases of several elections have nothing to do with each other',
    async act(stage) {
      const store = await stage.createStore();
      const orders = await stage.acquire(store, { election: 'orders' });
      const mails = await stage.acquire(store, { election: 'mails' });

      await store.release(orders, stage.signal);

      await stage.assertHeldBy(store, mails);
      assert.equal((await stage.read(store, 'orders')).kind, 'released');
    },
  },
];
