import assert from 'node:assert/strict';
import type { LeaseStore, ReleaseNotice } from '../../core/lease/lease-store.js';
import type { LeaseStoreCase, StoreStage } from './store-stage.js';

const RENEWALS = 5;

/** What a watch tells, and what is prepared for the moment in which it does. */
export const WATCH_CASES: readonly LeaseStoreCase[] = [
  {
    name: 'a watch hints soon when the lease was released, and not at every renewal',
    async act(stage) {
      const [one, other] = [await stage.createStore(), await stage.createStore()];
      if (other.watch === undefined) return;
      const hints = watch(other);
      let hintsByRenewals = 0;
      // A watch may take a while until it is open, and does not say so.
      await stage.arena.until(async () => {
        let lease = await stage.acquire(one);
        const before = hints.seen.length;
        for (let round = 0; round < RENEWALS; round++) lease = await stage.renew(one, lease);
        hintsByRenewals = hints.seen.length - before;
        await one.release(lease, stage.signal);
        return hints.seen.length > 0;
      });

      // The ones of an acquire and of a release before may arrive meanwhile.
      assert.ok(hintsByRenewals < RENEWALS, `${hintsByRenewals} hints for ${RENEWALS} renewals`);
      const before = hints.seen.length;
      await one.release(await stage.acquire(one), stage.signal);
      await stage.arena.until(() => hints.seen.length > before);
      hints.end();
    },
  },
  {
    name: 'a watch ends when its signal aborts, and hints no more',
    async act(stage) {
      const [one, other] = [await stage.createStore(), await stage.createStore()];
      if (other.watch === undefined) return;
      const hints = watch(other);

      hints.end();
      await stage.arena.until(() => hints.isOver);
      const { length } = hints.seen;
      await one.release(await stage.acquire(one), stage.signal);
      await stage.arena.pass();

      assert.equal(hints.seen.length, length);
    },
  },
  {
    name: 'a watch that tells which term was released tells the right one, and only its lease is taken on that ground',
    async act(stage) {
      const [one, other] = [await stage.createStore(), await stage.createStore()];
      const hints = watch(other);
      const [lease, notice] = await releaseUntilNoticed(stage, one, hints);
      hints.end();
      if (notice === undefined) return;

      assert.equal(notice.token, lease.token);
      const basis = { kind: 'released', token: notice.token } as const;
      const early = await other.acquire(stage.claim({ ...basis, token: notice.token - 1n }), stage.signal);
      assert.equal(early.won, false, 'it was taken on the ground that another term was released');
      const taken = await other.acquire(stage.claim(basis), stage.signal);
      assert.equal(taken.won, true, 'it was not taken on the ground that its term was released');
      const late = await one.acquire(stage.claim(basis), stage.signal);
      assert.equal(late.won, false, 'it was taken a second time on the ground of one release');
    },
  },
  {
    name: 'a rehearsal changes nothing, whatever the engine holds',
    async act(stage) {
      const [one, other] = [await stage.createStore(), await stage.createStore()];
      const rehearse = () => other.rehearse?.('default', stage.signal);
      await rehearse();
      await stage.absent(one);

      const lease = await stage.acquire(one);
      const { version } = await stage.held(one);
      await rehearse();
      await stage.assertHeldBy(one, lease);
      assert.equal((await stage.held(one)).version, version);

      await one.release(await stage.renew(one, lease), stage.signal);
      const released = await stage.released(one);
      await rehearse();
      assert.deepEqual(await stage.released(one), released);
    },
  },
];

interface Hints {
  readonly seen: (ReleaseNotice | undefined)[];
  isOver: boolean;
  readonly end: () => void;
}

function watch(store: LeaseStore): Hints {
  const control = new AbortController();
  const hints: Hints = { seen: [], isOver: false, end: () => control.abort() };
  const over = () => (hints.isOver = true);
  store.watch?.('default', (released) => hints.seen.push(released), control.signal).then(over, over);
  return hints;
}

/** The last lease that was released, and what the watch told of it: nothing where it tells no terms. */
async function releaseUntilNoticed(stage: StoreStage, store: LeaseStore, hints: Hints) {
  let lease = await stage.acquire(store);
  await store.release(lease, stage.signal);
  if (store.watch === undefined) return [lease, undefined] as const;
  // A watch may take a while until it is open.
  await stage.arena.until(async () => {
    if (hints.seen.length > 0) return true;
    lease = await stage.acquire(store);
    await store.release(lease, stage.signal);
    return false;
  });
  // What is still on its way is about releases before.
  await stage.arena.pass();
  const before = hints.seen.length;
  lease = await stage.acquire(store);
  await store.release(lease, stage.signal);
  await stage.arena.until(() => hints.seen.length > before);
  return [lease, hints.seen.at(-1)] as const;
}
