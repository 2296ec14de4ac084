import assert from 'node:assert/strict';
import type { LeaseStoreCase } from './store-stage.js';

const ROUNDS = 5;

/** What becomes of a lease that is not renewed. */
export const RUN_OUT_CASES: readonly LeaseStoreCase[] = [
  {
    name: 'a lease that is not renewed is vacant afterwards where the engine has a clock that judges, and unchanged where not',
    async act(stage) {
      const store = await stage.createStore();
      const lease = await stage.acquire(store, { leaseMs: stage.shortLeaseMs });
      const held = await stage.held(store);
      if (held.remainingMs === undefined) {
        await stage.arena.pass();
        assert.deepEqual(await stage.held(store), held);
        return;
      }

      await stage.arena.until(async () => (await stage.read(store)).kind !== 'held');

      const record = await stage.read(store);
      assert.equal(record.kind, 'vacant');
      const next = await stage.acquire(store, { basis: record });
      assert.ok(next.token > lease.token, `${next.token} after ${lease.token}`);
      await stage.assertHeldBy(store, next);
    },
  },
  {
    name: 'a lease that has run out and is renewed all the same is not taken on the ground that it was vacant',
    async act(stage) {
      const [one, other] = [await stage.createStore(), await stage.createStore()];
      for (let round = 0; round < ROUNDS; round++) {
        const election = `round-${round}`;
        const lease = await stage.acquire(one, { leaseMs: stage.shortLeaseMs, election });
        if ((await stage.held(one, election)).remainingMs === undefined) return;
        await stage.arena.until(async () => (await stage.read(other, election)).kind === 'vacant');
        const vacant = await stage.read(other, election);

        const startedAt = performance.now();
        const renewal = await one.renew(lease, stage.signal);
        const attempt = await other.acquire(stage.claim(vacant, { election }), stage.signal);

        // On a machine that stood still meanwhile the lease may have run out once more.
        if (performance.now() - startedAt > stage.shortLeaseMs / 2) continue;
        // A store may refuse to renew what has run out. It may not do both.
        assert.equal(attempt.won, !renewal.renewed);
        return;
      }
      assert.fail(
        `Two requests took longer than ${stage.shortLeaseMs / 2} ms, ${ROUNDS} times. Give it a longer leaseMs.`,
      );
    },
  },
  {
    name: 'a lease whose version has not changed can be taken from its holder, and not once it has',
    async act(stage) {
      const [one, other] = [await stage.createStore(), await stage.createStore()];
      const lease = await stage.acquire(one);
      const outdated = await stage.held(other);
      if (outdated.version === undefined) return;
      const renewed = await stage.renew(one, lease);
      const refused = await other.acquire(stage.claim(outdated), stage.signal);
      assert.equal(refused.won, false, 'it was taken although it had been renewed');
      await stage.assertHeldBy(other, renewed);

      const next = await stage.acquire(other, { basis: await stage.held(other) });

      assert.ok(next.token > lease.token, `${next.token} after ${lease.token}`);
      assert.equal((await one.renew(renewed, stage.signal)).renewed, false);
      await one.release(renewed, stage.signal);
      await stage.assertHeldBy(one, next);
    },
  },
];
