import { describe, expect, test } from '@jest/globals';
import { CampaignUnderWayError } from '../../../lib/core/errors.js';
import { LeaseElector } from '../../../lib/core/lease/lease-elector.js';
import type { LeaseStore } from '../../../lib/core/lease/lease-store.js';
import { Random } from '../../fixtures/random.js';
import { hang, Stand, TestCandidate, TestClock, TestStore, TIMING } from './lease-fixtures.js';

const { leaseMs: L } = TIMING;

test('leads several elections, each on its own', async () => {
  const clock = new TestClock();
  const store = new TestStore(clock);
  const elector = new LeaseElector({ store, timing: TIMING, clock });
  const [one, other] = [new TestCandidate('one'), new TestCandidate('other')];
  const control = new AbortController();
  void elector.campaign('one', one, control.signal);
  await clock.settle();
  store.record = { kind: 'released', token: 500n };
  void elector.campaign('other', other, new AbortController().signal);
  await clock.settle();

  control.abort();

  expect(one.term).toMatchObject({ election: 'one', identity: 'one', fencingToken: 101n });
  expect(other.term).toMatchObject({ election: 'other', identity: 'other', fencingToken: 501n });
  expect(one.leads).toBe(false);
  expect(other.leads).toBe(true);
});

test('stands for an election once at a time, and again when that has ended', async () => {
  const it = await Stand.leading();
  const again = new TestCandidate();
  const control = new AbortController();
  await expect(it.elector.campaign('default', again, control.signal)).rejects.toThrow(CampaignUnderWayError);
  await it.end();

  void it.elector.campaign('default', again, control.signal);
  await it.clock.advance(L);

  expect(again.leads).toBe(true);
  expect(it.candidate.leads).toBe(false);
});

test('tells two candidates of one identity apart', async () => {
  const clock = new TestClock();
  const store = new TestStore(clock);
  const elector = () => new LeaseElector({ store, timing: TIMING, clock });
  const candidates = [new TestCandidate('pod'), new TestCandidate('pod')];
  for (const candidate of candidates) void elector().campaign('default', candidate, new AbortController().signal);

  await clock.advance(5 * L);

  expect(candidates.map(({ terms }) => terms.length).toSorted((a, b) => a - b)).toEqual([0, 1]);
});

test('does not take its lease for won that a process of the same identity has left behind', async () => {
  const clock = new TestClock();
  const store = new TestStore(clock);
  store.heldBy('me#before', 100n);
  const candidate = new TestCandidate('me');
  void new LeaseElector({ store, timing: TIMING, clock }).campaign('default', candidate, new AbortController().signal);

  await clock.advance(L - 1);
  expect(candidate.terms).toHaveLength(0);
  await clock.advance(100);
  expect(candidate.leads).toBe(true);
});

test('gives its address to those who ask who leads', async () => {
  const it = await Stand.leading({ address: 'http://10.0.0.1:3000' });
  const follower = new Stand(it.clock, it.store, new TestCandidate('follower'), { randomPart: () => 'f' });
  await it.clock.settle();

  const leader = { identity: 'me', address: 'http://10.0.0.1:3000', fencingToken: 101n, since: 1_000_000 };
  expect(it.candidate.leaders).toEqual([leader]);
  expect(follower.candidate.leaders).toEqual([leader]);
});

test('hands diagnosis and closing on to its store, if that has them', async () => {
  const clock = new TestClock();
  const finding = { level: 'ok', summary: 'all well' } as const;
  let closed = 0;
  const store: LeaseStore = Object.assign(new TestStore(clock), {
    diagnose: async () => [finding],
    close: async () => void closed++,
  });
  const elector = new LeaseElector({ store, timing: TIMING, clock });
  const bare = new LeaseElector({ store: new TestStore(clock), timing: TIMING, clock });

  expect(await elector.diagnose()).toEqual([finding]);
  await elector.close();
  expect(closed).toBe(1);
  expect(await bare.diagnose()).toEqual([]);
  await bare.close();
});

test('says something at least as often as it promises, whatever the store does', async () => {
  const clock = new TestClock();
  const store = new TestStore(clock);
  const it = new Stand(clock, store, new TestCandidate(), { random: () => 1 });
  const promised = it.elector.reportsWithinMs;
  let longest = 0;
  let last = 0;
  it.candidate.onReport = () => {
    longest = Math.max(longest, clock.now() - last);
    last = clock.now();
  };

  await clock.advance(3 * L);
  store.always('renew', hang);
  it.candidate.settlesOnAbort();
  it.candidate.settle();
  store.always('read', hang);
  await clock.advance(5 * L);
  store.always('read');
  store.heldBy('rival', 500n, 20 * L);
  await clock.advance(5 * L);

  expect(longest).toBeGreaterThan(0);
  expect(longest).toBeLessThanOrEqual(promised);
});

describe('with several elections spread over replicas', () => {
  const ELECTIONS = Array.from({ length: 9 }, (_, index) => `e${index}`);

  class Replica {
    readonly candidates = ELECTIONS.map((election) => new TestCandidate(election));
    isDead = false;

    constructor(clock: TestClock, stores: Map<string, TestStore>, random: Random) {
      const reach = async <T>(election: string, ask: (store: TestStore) => Promise<T>): Promise<T> =>
        this.isDead ? new Promise<T>(() => undefined) : ask(stores.get(election)!);
      const store: LeaseStore = {
        read: (election, signal) => reach(election, (it) => it.read(election, signal)),
        acquire: (claim, signal) => reach(claim.election, (it) => it.acquire(claim, signal)),
        renew: (lease, signal) => reach(lease.election, (it) => it.renew(lease, signal)),
        release: (lease, signal) => reach(lease.election, (it) => it.release(lease, signal)),
      };
      const elector = new LeaseElector({ store, timing: TIMING, clock, spread: true, random: () => random.next() });
      for (const [index, candidate] of this.candidates.entries()) {
        void elector.campaign(ELECTIONS[index]!, candidate, new AbortController().signal);
      }
    }

    get led(): number {
      return this.candidates.filter(({ leads }) => leads).length;
    }
  }

  test.each([1, 2, 3])('none leads more than its share, and one that is alone leads all (seed %d)', async (seed) => {
    const clock = new TestClock();
    const random = new Random(seed);
    const stores = new Map(ELECTIONS.map((election) => [election, new TestStore(clock)]));
    const replicas = Array.from({ length: 3 }, () => new Replica(clock, stores, random));

    await clock.advance(L);
    const led = replicas.map((it) => it.led);
    expect(led.reduce((a, b) => a + b)).toBe(9);
    expect(Math.max(...led)).toBeLessThanOrEqual(4);

    for (const replica of replicas.slice(1)) replica.isDead = true;
    await clock.advance(2 * L + 2000);
    expect(replicas[0]?.led).toBe(9);
  });
});
