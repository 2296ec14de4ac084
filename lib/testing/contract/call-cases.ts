import assert from 'node:assert/strict';
import type { LeaseStore, OwnLease } from '../../core/lease/lease-store.js';
import type { LeaseStoreCase, StoreStage } from './store-stage.js';

/** How calls end, and what is left behind. */
export const CALL_CASES: readonly LeaseStoreCase[] = [
  {
    name: 'a call whose signal is aborted already rejects and changes nothing',
    async act(stage) {
      const store = await stage.createStore();
      const aborted = AbortSignal.abort();
      await assert.rejects(store.read('default', aborted));
      await assert.rejects(store.acquire(stage.claim({ kind: 'absent' }), aborted));
      await stage.absent(store);
      const lease = await stage.acquire(store);
      const before = await stage.held(store);

      await assert.rejects(store.renew(lease, aborted));
      await assert.rejects(store.release(lease, aborted));

      await stage.assertHeldBy(store, lease);
      assert.equal((await stage.held(store)).version, before.version);
    },
  },
  {
    name: 'a store that is closed leaves the others alone',
    async act(stage) {
      const [one, other] = [await stage.createStore(), await stage.arena.createStore()];
      const lease = await stage.acquire(one);
      await stage.held(other);

      await other.close?.();

      await stage.assertHeldBy(one, await stage.renew(one, lease));
    },
  },
  {
    name: 'what a store finds out about its engine is a level and a sentence',
    async act(stage) {
      const findings = (await (await stage.createStore()).diagnose?.()) ?? [];

      for (const { level, summary } of findings) {
        assert.ok(['ok', 'note', 'warning', 'error'].includes(level), `the level is ${level}`);
        assert.notEqual(summary, '');
      }
    },
  },
];

/** What holds while a store does not reach its engine, and after. */
export const STORE_DISCONNECT_CASES: readonly LeaseStoreCase[] = [
  {
    name: 'a call on an engine that is not reached ends when its signal aborts, and is not made later',
    async act(stage) {
      const [away, other] = [await stage.createStore(), await stage.createStore()];
      await stage.read(away);

      await abortedWhileAway(stage, away, (signal) => away.read('default', signal));
      const claim = stage.claim({ kind: 'absent' });
      await abortedWhileAway(stage, away, (signal) => away.acquire(claim, signal));
      await stage.absent(other);

      const lease = await stage.acquire(away);
      const before = await stage.held(other);
      await abortedWhileAway(stage, away, (signal) => away.renew(lease, signal));
      await abortedWhileAway(stage, away, (signal) => away.release(lease, signal));
      await stage.assertHeldBy(other, lease);
      assert.equal((await stage.held(other)).version, before.version);
    },
  },
  {
    name: 'a store that did not reach its engine reads and renews again when it does',
    async act(stage) {
      const [away, other] = [await stage.createStore(), await stage.createStore()];
      const lease = await stage.acquire(away);
      await stage.hook('disconnect')(away);
      await stage.arena.pass();
      await stage.hook('reconnect')(away);

      await stage.arena.until(() => works(away, lease));

      await stage.assertHeldBy(other, lease);
    },
  },
];

/** What holds after an engine has lost its data. */
export const DATA_LOSS_CASES: readonly LeaseStoreCase[] = [
  {
    name: 'an engine that has lost its data knows of no lease, renews none, and gives out a larger token all the same',
    async act(stage) {
      const store = await stage.createStore();
      const lease = await stage.acquire(store);

      await stage.hook('loseData')();
      await stage.arena.until(() => works(store, lease));

      await stage.absent(store);
      assert.equal((await store.renew(lease, stage.signal)).renewed, false);
      await store.release(lease, stage.signal);
      await stage.absent(store);
      const next = await stage.acquire(store, { tokenAbove: stage.freeTokens ? lease.token : 0n });
      if (stage.freeTokens) assert.ok(next.token > lease.token, `${next.token} after ${lease.token}`);
    },
  },
];

/** Makes a call that cannot get through, aborts it, and lets the store reach its engine again. */
async function abortedWhileAway(
  stage: StoreStage,
  store: LeaseStore,
  call: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  await stage.hook('disconnect')(store);
  const control = new AbortController();
  let outcome: 'pending' | 'done' | 'failed' = 'pending';
  call(control.signal).then(
    () => (outcome = 'done'),
    () => (outcome = 'failed'),
  );
  control.abort(new Error('aborted by the suite'));
  await stage.arena.until(() => outcome !== 'pending');
  assert.equal(outcome, 'failed');
  await stage.hook('reconnect')(store);
  // What was left in a queue would arrive by now.
  await stage.arena.until(() => answers(store));
}

async function works(store: LeaseStore, lease: OwnLease): Promise<boolean> {
  if (!(await answers(store))) return false;
  return store.renew(lease, AbortSignal.timeout(1000)).then(
    () => true,
    () => false,
  );
}

async function answers(store: LeaseStore): Promise<boolean> {
  return store.read('default', AbortSignal.timeout(1000)).then(
    () => true,
    () => false,
  );
}
