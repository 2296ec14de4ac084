import { describe, expect, test } from '@jest/globals';
import { leaseStoreContract, ManualClock, virtualTime, type LeaseStoreFixture } from 'nestjs-lifecycle/testing';
import type {
  AcquireResult,
  LeaseClaim,
  LeaseRecord,
  LeaseStore,
  LeaseToRelease,
  OwnLease,
  RenewResult,
} from '../../../lib/core/lease/lease-store.js';
import { MemoryLeaseEngine, MemoryLeaseStore } from '../../fixtures/engines/memory-lease-engine.js';

/** What a defect is made with: the engine behind a store, and what the store does when nothing is wrong. */
interface Inside {
  readonly engine: MemoryLeaseEngine;
  readonly right: MemoryLeaseStore;
}
type Defect = (inside: Inside) => Partial<LeaseStore>;

const fixture = (defect?: Defect, kind = { judges: true, versioned: true }): LeaseStoreFixture => ({
  faults: ['disconnect', 'data loss'],
  open() {
    const clock = new ManualClock();
    const engine = new MemoryLeaseEngine({ clock, ...kind });
    const rights = new Map<LeaseStore, MemoryLeaseStore>();
    return {
      ...virtualTime(clock, { limitMs: 5000, passMs: 2000 }),
      createStore() {
        const right = engine.createStore();
        const store: LeaseStore = {
          read: (election, signal) => right.read(election, signal),
          acquire: (claim, signal) => right.acquire(claim, signal),
          renew: (lease, signal) => right.renew(lease, signal),
          release: (lease, signal) => right.release(lease, signal),
          watch: (election, onHint, signal) => right.watch(election, onHint, signal),
          ...defect?.({ engine, right }),
        };
        rights.set(store, right);
        return store;
      },
      disconnect: (store) => cut(rights.get(store), true),
      reconnect: (store) => cut(rights.get(store), false),
      loseData: () => engine.loseData(),
      close: () => undefined,
    };
  },
});

const cut = (store: MemoryLeaseStore | undefined, isCutOff: boolean) => {
  if (store !== undefined) store.isCutOff = isCutOff;
};

async function complaints(it: LeaseStoreFixture): Promise<string[]> {
  const found: string[] = [];
  for (const { name, run } of leaseStoreContract(it)) await run().catch(() => found.push(name));
  return found;
}

const versionless = (record: LeaseRecord): LeaseRecord => {
  if (record.kind === 'absent') return record;
  const { version: _version, ...rest } = record;
  return rest;
};

const DEFECTS: Record<string, readonly [Defect, RegExp]> = {
  'takes a lease whatever there is': [
    ({ engine }) => ({ acquire: async (claim) => engine.acquire({ ...claim, basis: engine.read(claim.election) }) }),
    /of several that take a lease at once one wins/,
  ],
  'compares only whether the lease is free': [
    ({ engine, right }) => ({
      acquire: async (claim, signal) => {
        const now = engine.read(claim.election);
        return right.acquire({ ...claim, basis: now.kind === claim.basis.kind ? now : claim.basis }, signal);
      },
    }),
    /an attempt that arrives late/,
  ],
  'decides first and writes later': [
    ({ engine }) => ({
      async acquire(claim): Promise<AcquireResult> {
        if (engine.read(claim.election).kind !== claim.basis.kind) return { won: false };
        await new Promise((resolve) => setImmediate(resolve));
        return engine.acquire({ ...claim, basis: engine.read(claim.election) });
      },
    }),
    /of several that take a lease at once one wins/,
  ],
  'counts tokens anew in each store': [
    ({ right }) => {
      let token = 0n;
      return {
        acquire: async (claim, signal) => {
          const result = await right.acquire(claim, signal);
          return result.won ? { ...result, token: ++token } : result;
        },
      };
    },
    /a later holder has a larger token/,
  ],
  'ignores the token that a candidate knows of': [
    ({ right }) => ({ acquire: (claim, signal) => right.acquire({ ...claim, tokenAbove: 0n }, signal) }),
    /a token is larger than the one that the candidate knows of/,
  ],
  'has one lease for all elections': [
    ({ right }) => ({
      read: (_election, signal) => right.read('all', signal),
      acquire: (claim, signal) => right.acquire({ ...claim, election: 'all' }, signal),
      release: (lease, signal) => right.release({ ...lease, election: 'all' }, signal),
      renew: (lease, signal) => right.renew({ ...lease, election: 'all' }, signal),
    }),
    /leases of several elections have nothing to do with each other/,
  ],
  'renews for whoever asks': [
    ({ engine, right }) => ({
      renew: (lease, signal) => right.renew({ ...lease, ...holderOf(engine, lease) }, signal),
    }),
    /not renewed by somebody else/,
  ],
  'renews under any token': [
    ({ engine, right }) => ({
      renew: (lease, signal) => right.renew({ ...lease, token: holderOf(engine, lease)?.token ?? 0n }, signal),
    }),
    /nor under another token/,
  ],
  'says that it has renewed, and has not': [
    () => ({ renew: async (): Promise<RenewResult> => ({ renewed: true }) }),
    /renewed by its holder, again and again/,
  ],
  'gives up a lease whose version is outdated without saying what is there': [
    ({ right }) => ({
      renew: async (lease, signal) => {
        const result = await right.renew(lease, signal);
        return result.renewed ? result : { renewed: false };
      },
    }),
    /also when the answer to the renewal before was lost/,
  ],
  'releases whatever there is': [
    ({ engine, right }) => ({
      release: (lease, signal) => right.release({ ...lease, ...holderOf(engine, lease) }, signal),
    }),
    /a release leaves a lease alone/,
  ],
  'releases under any token': [
    ({ right }) => ({
      release: ({ token: _token, ...lease }, signal) => right.release(lease, signal),
    }),
    /under another token/,
  ],
  'releases only under a token that it was told': [
    ({ right }) => ({
      release: async (lease, signal) => (lease.token === undefined ? undefined : right.release(lease, signal)),
    }),
    /by a holder that was never told its token/,
  ],
  'fails to release what is gone': [
    ({ engine, right }) => ({
      async release(lease, signal) {
        if (engine.read(lease.election).kind !== 'held') throw new Error('there is no such lease');
        await right.release(lease, signal);
      },
    }),
    /is no error and changes nothing/,
  ],
  'forgets what was released': [
    ({ engine, right }) => ({
      async release(lease, signal) {
        await right.release(lease, signal);
        if (engine.read(lease.election).kind === 'released') engine.loseData();
      },
    }),
    /a lease that was released is read as released/,
  ],
  'never lets a lease run out': [
    ({ right }) => ({
      acquire: (claim: LeaseClaim, signal) => right.acquire({ ...claim, leaseMs: 1e9 }, signal),
    }),
    /vacant afterwards/,
  ],
  'shows nothing that tells a dead holder': [
    ({ right }) => ({
      async read(election, signal) {
        const record = versionless(await right.read(election, signal));
        if (record.kind !== 'held') return record;
        const { remainingMs: _remainingMs, ...rest } = record;
        return rest;
      },
    }),
    /so that a dead holder can be told/,
  ],
  'sends later what was aborted': [
    ({ right }) => ({
      async acquire(claim, signal) {
        signal.throwIfAborted();
        if (!right.isCutOff) return right.acquire(claim, signal);
        const retry = async () => {
          while (right.isCutOff) await new Promise((resolve) => setImmediate(resolve));
          await right.acquire(claim, new AbortController().signal);
        };
        void retry();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      },
    }),
    /is not made later/,
  ],
  'does not end when it is told to': [
    ({ right }) => ({ read: (election, signal) => right.read(election, right.isCutOff ? never() : signal) }),
    /ends when its signal aborts/,
  ],
  'makes calls that were aborted before': [
    ({ right }) => ({ release: (lease: LeaseToRelease) => right.release(lease, never()) }),
    /whose signal is aborted already/,
  ],
  'never hints': [
    ({ right }) => ({ watch: (election, _onHint, signal) => right.watch(election, () => undefined, signal) }),
    /a watch hints soon/,
  ],
  'hints at each renewal': [
    ({ engine, right }) => ({
      async renew(lease: OwnLease, signal) {
        const result = await right.renew(lease, signal);
        engine.hint(lease.election, lease.token);
        return result;
      },
    }),
    /not at every renewal/,
  ],
  'tells of a release of another term': [
    ({ right }) => ({
      watch: (election, onHint, signal) =>
        right.watch(election, (released) => onHint(released && { token: released.token + 1n }), signal),
    }),
    /tells the right one/,
  ],
  'takes what was released whatever its token': [
    ({ right }) => ({
      async acquire(claim: LeaseClaim, signal) {
        const basis = await right.read(claim.election, signal);
        return right.acquire(basis.kind === 'released' ? { ...claim, basis } : claim, signal);
      },
    }),
    /only its lease is taken on that ground/,
  ],
  'does what it rehearses': [
    ({ right }) => ({
      async rehearse(election, signal) {
        const basis = await right.read(election, signal);
        const holder = { election, holder: 'x#1', identity: 'x', leaseMs: 1000 };
        await right.acquire({ ...holder, basis, tokenAbove: 0n }, signal);
      },
    }),
    /a rehearsal changes nothing/,
  ],
  'goes on to hint after the end': [
    ({ engine }) => ({
      watch: async (election, onHint) => void engine.watch(election, onHint),
    }),
    /hints no more/,
  ],
  'closes the engine for all': [
    ({ engine }) => ({ close: async () => engine.loseData() }),
    /a store that is closed leaves the others alone/,
  ],
};

const never = () => new AbortController().signal;

function holderOf(engine: MemoryLeaseEngine, { election }: { readonly election: string }) {
  const record = engine.read(election);
  if (record.kind !== 'held' || record.token === undefined) return undefined;
  return { holder: record.holder, token: record.token };
}

describe('a store is found out that', () => {
  test.each(Object.entries(DEFECTS))(
    '%s',
    async (_name, [defect, complaint]) => {
      expect((await complaints(fixture(defect))).join('\n')).toMatch(complaint);
    },
    60_000,
  );
});

test('a fixture that names a fault and cannot do it is told so', async () => {
  const clock = new ManualClock();
  const engine = new MemoryLeaseEngine({ clock, judges: true, versioned: false });
  const cases = leaseStoreContract({
    faults: ['data loss'],
    open: () => ({ ...virtualTime(clock), createStore: () => engine.createStore(), close: () => undefined }),
  });

  await expect(cases.at(-1)?.run()).rejects.toThrow('has no loseData()');
});
