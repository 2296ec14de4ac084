import { describe, expect, test } from '@jest/globals';
import { EngineAnswerError, EngineRefusalError, RequestTimeoutError } from '../../../lib/core/errors.js';
import { LeaseElector } from '../../../lib/core/lease/lease-elector.js';
import {
  answer,
  commitThenHang,
  fail,
  hang,
  Stand,
  TestCandidate,
  TestClock,
  TestStore,
  TIMING,
} from './lease-fixtures.js';

const { leaseMs: L, requestTimeoutMs: T, retryMs } = TIMING;

/** A stand before its first request is answered, with a store as the test wants it. */
function stand(prepare: (store: TestStore) => void, options = {}): Stand {
  const clock = new TestClock();
  const store = new TestStore(clock);
  prepare(store);
  return new Stand(clock, store, new TestCandidate(), options);
}

describe('takes over', () => {
  test('a lease that was released, with one read and one acquire', async () => {
    const it = stand(() => undefined);
    await it.clock.settle();

    expect(it.candidate.terms).toHaveLength(1);
    expect(it.store.requests.map(({ operation }) => operation)).toEqual(['read', 'acquire']);
  });

  test('an absent one only when the store has been empty for a lease', async () => {
    const it = stand((store) => void (store.record = { kind: 'absent' }));
    await it.clock.advance(L - 1);
    expect(it.store.count('acquire')).toBe(0);

    await it.clock.advance(100);

    expect(it.candidate.leads).toBe(true);
  });

  test('an absent one as soon as its options allow', async () => {
    const it = stand((store) => void (store.record = { kind: 'absent' }), { emptyStoreWaitMs: 0 });
    await it.clock.settle();

    expect(it.candidate.leads).toBe(true);
  });

  test('soon after it has run out by the clock of the engine', async () => {
    const it = stand((store) => store.heldBy('rival', 100n, 5000), { random: () => 1 });

    await it.clock.advance(5000);
    expect(it.candidate.leads).toBe(false);
    await it.clock.advance(51);
    expect(it.candidate.leads).toBe(true);
  });

  test('at once at a hint', async () => {
    const it = stand((store) => store.heldBy('rival', 100n));
    await it.clock.advance(100);

    it.store.record = { kind: 'released', token: 100n };
    it.store.hint();
    await it.clock.settle();

    expect(it.candidate.leads).toBe(true);
    expect(it.clock.now()).toBe(100);
  });

  test('at once at a hint that comes while it is reading', async () => {
    const it = stand((store) => store.heldBy('rival', 100n));
    const arrive = it.store.holdAnswer('read');
    await it.clock.advance(L / 3);
    it.store.record = { kind: 'released', token: 100n };
    it.store.hint();
    arrive();
    await it.clock.settle();

    expect(it.candidate.leads).toBe(true);
  });
});

describe('when a watch tells which term was released', () => {
  /** Follows a rival of that token. */
  async function following(options = {}): Promise<Stand> {
    const it = stand((store) => store.heldBy('rival', 100n), options);
    await it.clock.advance(100);
    return it;
  }

  const since = (it: Stand, operations: readonly string[]) =>
    it.store.requests.map(({ operation }) => operation).filter((operation) => operations.includes(operation));

  test('tries at once, without a read', async () => {
    const it = await following();

    it.store.record = { kind: 'released', token: 100n };
    it.store.hint({ token: 100n });
    await it.clock.settle();

    expect(it.candidate.leads).toBe(true);
    expect(since(it, ['read', 'acquire'])).toEqual(['read', 'acquire']);
    expect(it.store.last('acquire').argument).toMatchObject({ basis: { kind: 'released', token: 100n } });
  });

  test('looks when it is not so, and goes on following', async () => {
    const it = await following();

    it.store.hint({ token: 100n });
    await it.clock.advance(L / 2);

    expect(it.candidate.terms).toEqual([]);
    expect(since(it, ['read', 'acquire']).slice(0, 3)).toEqual(['read', 'acquire', 'read']);
    expect(it.store.count('acquire')).toBe(1);
  });

  test('makes a pause after an attempt that was lost, though the lease still looks free', async () => {
    const it = await following();
    it.store.record = { kind: 'released', token: 100n };
    it.store.next('acquire', answer({ won: false }));
    it.store.hint({ token: 100n });
    await it.clock.settle();
    expect(since(it, ['read', 'acquire'])).toEqual(['read', 'acquire', 'read']);

    await it.clock.advance(retryMs);
    expect(it.candidate.leads).toBe(true);
  });

  test.each([
    ['is of another term', 99n],
    ['is of a term that it has not seen', 101n],
  ])('only looks when that %s', async (_name, token) => {
    const it = await following();

    it.store.hint({ token });
    await it.clock.advance(10);

    expect(since(it, ['read', 'acquire'])).toEqual(['read', 'read']);
  });

  test('only looks when it does not know the term any more than that it was released', async () => {
    const it = await following();
    it.store.record = { kind: 'released', token: 100n };
    it.store.next('acquire', answer({ won: false }));
    it.store.hint();
    await it.clock.settle();

    it.store.hint({ token: 100n });
    await it.clock.settle();

    expect(since(it, ['read', 'acquire'])).toEqual(['read', 'read', 'acquire', 'read', 'acquire']);
  });

  test('lets others go first as ever: after a term that it gave up, and with many elections', async () => {
    const it = await Stand.leading();
    it.candidate.settle();
    await it.clock.settle();
    it.store.heldBy('rival', 200n);
    it.store.hint();
    await it.clock.advance(10);
    it.store.record = { kind: 'released', token: 200n };
    const before = it.store.count('acquire');
    it.store.hint({ token: 200n });
    await it.clock.advance(L / 4);
    expect(it.store.count('acquire')).toBe(before);

    await it.clock.advance(L / 2);
    expect(it.candidate.leads).toBe(true);
  });

  test('does not believe it while what it saw last is not to be believed', async () => {
    const it = await following();
    it.store.heldBy('rival', 50n, L);
    await it.clock.advance(L / 2);

    it.store.record = { kind: 'released', token: 50n };
    it.store.hint({ token: 50n });
    await it.clock.advance(L / 4);

    expect(it.store.count('acquire')).toBe(0);
  });
});

describe('rehearses', () => {
  test('once, when somebody else leads', async () => {
    const it = stand((store) => store.heldBy('rival', 100n));
    await it.clock.settle();
    expect(it.store.requests.map(({ operation }) => operation)).toEqual(['read', 'rehearse']);

    await it.clock.advance(L - 100);
    expect(it.store.count('rehearse')).toBe(1);
  });

  test('not when nobody leads', async () => {
    const it = await Stand.leading();
    expect(it.store.count('rehearse')).toBe(0);
  });

  test('goes on when that fails or hangs, and says so', async () => {
    for (const plan of [fail(), hang]) {
      const it = stand((store) => {
        store.heldBy('rival', 100n);
        store.next('rehearse', plan);
      });
      await it.clock.advance(T);
      expect(it.candidate.errors('rehearse')).toHaveLength(1);

      it.store.record = { kind: 'released', token: 100n };
      it.store.hint({ token: 100n });
      await it.clock.settle();
      expect(it.candidate.leads).toBe(true);
    }
  });

  test('not in the way of a release that is told meanwhile', async () => {
    const it = stand((store) => store.heldBy('rival', 100n));
    const end = it.store.holdAnswer('rehearse');
    await it.clock.settle();
    it.store.record = { kind: 'released', token: 100n };
    it.store.hint({ token: 100n });
    end();
    await it.clock.settle();

    expect(it.candidate.leads).toBe(true);
  });
});

describe('in steady state', () => {
  test('reads at most once in a third of a lease', async () => {
    const it = stand((store) =>
      store.always('read', () =>
        Promise.resolve({
          kind: 'held',
          holder: 'rival',
          identity: 'rival',
          leaseMs: L,
          token: 100n,
          remainingMs: L - 2000,
        }),
      ),
    );

    await it.clock.advance(30 * L);

    expect(it.store.count('read')).toBeLessThanOrEqual(91);
    expect(it.store.count('acquire')).toBe(0);
  });

  test('keeps nothing but background timers', async () => {
    const clock = new TestClock();
    const foreground: number[] = [];
    const setTimer = clock.setTimer.bind(clock);
    clock.setTimer = (callback, delayMs, options?: { background?: boolean }) => {
      if (options?.background !== true) foreground.push(delayMs);
      return setTimer(callback, delayMs);
    };
    const store = new TestStore(clock);
    store.heldBy('rival', 100n, 3 * L);
    const it = new Stand(clock, store);
    await clock.advance(5 * L);

    expect(it.candidate.leads).toBe(true);
    expect(foreground).toEqual([]);
  });

  test('tells who leads once, not at every look, and that nobody is known to when it has not seen for long', async () => {
    const it = stand((store) => store.heldBy('rival', 100n));
    await it.clock.advance(L / 2);
    expect(it.candidate.leaders).toEqual([{ identity: 'rival', fencingToken: 100n, since: 1_000_000 }]);

    it.store.always('read', hang);
    await it.clock.advance(3 * L);
    expect(it.candidate.leaders).toHaveLength(2);
    expect(it.candidate.leaders[1]).toBeUndefined();
  });
});

describe('whatever the store does, goes on', () => {
  const wrong: [string, (store: TestStore) => void][] = [
    [
      'throws at once',
      (store) =>
        store.always('read', () => {
          throw new Error('not connected');
        }),
    ],
    ['rejects', (store) => store.always('read', fail())],
    ['rejects with nothing', (store) => store.always('read', fail(undefined))],
    ['never answers', (store) => store.always('read', hang)],
    ['answers nothing', (store) => store.always('read', answer(undefined))],
    ['answers another kind', (store) => store.always('read', answer({ kind: 'lost' }))],
    [
      'answers a holder without a name',
      (store) => store.always('read', answer({ kind: 'held', leaseMs: L, remainingMs: 1 })),
    ],
    [
      'answers a holder that never changes',
      (store) => store.always('read', answer({ kind: 'held', holder: 'x', leaseMs: L })),
    ],
    [
      'answers a lease without an end',
      (store) => store.always('read', answer({ kind: 'held', holder: 'x', leaseMs: L, remainingMs: Number.NaN })),
    ],
    ['answers a token that is none', (store) => store.always('read', answer({ kind: 'released', token: 5 }))],
    ['fails at every acquire', (store) => store.always('acquire', fail())],
    ['answers nothing to an acquire', (store) => store.always('acquire', answer(null))],
    ['answers a win without a token', (store) => store.always('acquire', answer({ won: true }))],
    ['answers a win that is none', (store) => store.always('acquire', answer({ won: 'OK', token: 101n }))],
  ];

  test.each(wrong)('%s: reports it, retries with backoff, and leads once that is over', async (_what, prepare) => {
    const it = stand(prepare);
    await it.clock.advance(10 * L);

    expect(it.ended).toBe(false);
    expect(it.candidate.terms).toHaveLength(0);
    expect(it.candidate.reports.some(({ kind }) => kind === 'error')).toBe(true);
    expect(it.store.requests.length).toBeGreaterThan(20);
    expect(it.store.requests.length).toBeLessThan(150);
    it.store.always('read');
    it.store.always('acquire');
    await it.clock.advance(L);
    expect(it.candidate.leads).toBe(true);
    await it.end();
    expect(it.clock.pending).toBe(0);
  });

  test('says what cannot be used in an answer', async () => {
    const it = stand((store) => store.next('read', answer({ kind: 'released', token: 5 })));
    await it.clock.settle();

    expect(it.candidate.errors('read')).toEqual([expect.any(EngineAnswerError)]);
    expect(String(it.candidate.errors('read')[0])).toContain('"token" is a number, not a bigint');
  });

  test('retries a refusal slowly, and reports it as one', async () => {
    const refusal = new EngineRefusalError('no permission');
    const it = stand((store) => store.always('acquire', fail(refusal)));
    await it.clock.advance(10 * L);

    expect(it.store.count('acquire')).toBeLessThanOrEqual(11);
    expect(it.candidate.reports).toContainEqual({ kind: 'refusal', operation: 'acquire', error: refusal });
  });

  test('sends no burst when its attempts change nothing', async () => {
    const it = stand((store) => store.always('acquire', answer({ won: false })));
    await it.clock.advance(10 * L);

    expect(it.store.count('acquire')).toBeLessThan(70);
  });

  test('sends no burst at a storm of hints', async () => {
    const it = stand((store) => store.heldBy('rival', 100n, 10 * L));
    for (let hints = 0; hints < 100; hints++) {
      it.store.hint();
      await it.clock.advance(20);
    }

    expect(it.store.count('read')).toBeLessThanOrEqual(3 + 2000 / retryMs);
  });

  test('does not let a hint cut short the pause after an error', async () => {
    const it = stand((store) => store.always('read', fail()));
    await it.clock.advance(1);
    for (let hints = 0; hints < 10; hints++) {
      it.store.hint();
      await it.clock.advance(1);
    }

    expect(it.store.count('read')).toBe(1);
  });

  test('goes on when its candidate throws at everything that it is told', async () => {
    const clock = new TestClock();
    const candidate = new TestCandidate();
    candidate.onReport = () => {
      throw new Error('report');
    };
    candidate.onLeaderObserved = () => Promise.reject(new Error('leader')) as never;
    const store = new TestStore(clock);
    store.next('read', fail());
    const it = new Stand(clock, store, candidate);
    await clock.advance(L);

    expect(candidate.leads).toBe(true);
    await it.end();
    expect(it.ended).toBe(true);
  });
});

describe('a watch', () => {
  test('is opened again, with backoff, when it breaks, and polls go on', async () => {
    const clock = new TestClock();
    const store = new TestStore(clock);
    const openedAt: number[] = [];
    store.watch = () => {
      openedAt.push(clock.now());
      throw new Error('no watch');
    };
    store.heldBy('rival', 100n, 2 * L);
    const it = new Stand(clock, store);
    await clock.advance(3 * L);

    expect(openedAt.length).toBeGreaterThan(4);
    expect(openedAt.length).toBeLessThan(12);
    expect(it.candidate.errors('watch').length).toBe(openedAt.length);
    expect(it.candidate.leads).toBe(true);
  });

  test('that ignores its signal does not keep the campaign from ending', async () => {
    const clock = new TestClock();
    const store = new TestStore(clock);
    store.watch = () => new Promise(() => undefined);
    store.heldBy('rival', 100n);
    const it = new Stand(clock, store);
    await clock.settle();
    await it.end();

    expect(it.ended).toBe(true);
  });

  test('that breaks because it was told to end is no error', async () => {
    const clock = new TestClock();
    const store = new TestStore(clock);
    store.watch = (_election, _onHint, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('closed'))));
    const it = new Stand(clock, store);
    await clock.settle();
    await it.end();

    expect(it.candidate.errors('watch')).toEqual([]);
  });
});

describe('an acquire whose outcome is unknown', () => {
  test('is recognised as its own when it has won, and counted from the new request', async () => {
    const it = stand((store) => store.next('acquire', commitThenHang));
    await it.clock.advance(T);
    expect(it.candidate.errors('acquire')).toEqual([expect.any(RequestTimeoutError)]);

    await it.clock.advance(retryMs);

    const [, again] = it.store.sent('acquire');
    expect(it.candidate.leads).toBe(true);
    await it.clock.advance(again! + TIMING.renewMs - it.clock.now() - 1);
    expect(it.store.count('renew')).toBe(0);
    await it.clock.advance(1);
    expect(it.store.count('renew')).toBe(1);
  });

  test('is released when the campaign ends, by holder alone', async () => {
    const it = stand((store) => store.next('acquire', commitThenHang));
    await it.clock.advance(T + 1);
    expect(it.store.record.kind).toBe('held');

    await it.end();

    expect(it.ended).toBe(true);
    expect(it.store.record.kind).toBe('released');
    expect(it.store.last('release').argument).toMatchObject({ holder: 'me#1' });
    expect(it.store.last('release').argument).not.toHaveProperty('token');
  });

  test('is not released when it is known to have lost', async () => {
    const it = stand((store) =>
      store.next('acquire', (perform) => {
        store.heldBy('rival', 101n);
        return Promise.resolve(perform());
      }),
    );
    await it.clock.advance(1);
    await it.end();

    expect(it.store.count('release')).toBe(0);
  });

  test('does nothing when its answer comes too late', async () => {
    const it = stand(() => undefined);
    const arrive = it.store.holdAnswer('acquire');
    await it.clock.advance(T);
    it.store.heldBy('rival', 105n);
    arrive();
    await it.clock.advance(retryMs);

    expect(it.candidate.terms).toHaveLength(0);
  });
});

describe('when the campaign ends', () => {
  test('does not wait for a read', async () => {
    const it = stand((store) => store.always('read', hang));
    await it.clock.settle();

    await it.end();

    expect(it.ended).toBe(true);
    expect(it.store.last('read').signal.aborted).toBe(true);
    expect(it.clock.pending).toBe(0);
  });

  test('waits for an acquire, and gives back what it has won without leading', async () => {
    const it = stand(() => undefined);
    const arrive = it.store.holdAnswer('acquire');
    await it.clock.settle();
    it.control.abort();
    await it.clock.settle();
    expect(it.ended).toBe(false);

    arrive();
    await it.clock.settle();

    expect(it.ended).toBe(true);
    expect(it.candidate.terms).toHaveLength(0);
    expect(it.store.record).toEqual({ kind: 'released', token: 101n });
    expect(it.clock.pending).toBe(0);
  });

  test('does not wait for an acquire that hangs longer than a request may', async () => {
    const it = stand((store) => store.always('acquire', hang));
    await it.clock.settle();
    it.control.abort();

    await it.clock.advance(T);

    expect(it.ended).toBe(true);
    expect(it.clock.pending).toBe(0);
  });

  test('asks nothing when it had ended before it began', async () => {
    const clock = new TestClock();
    const store = new TestStore(clock);
    const elector = new LeaseElector({ store, timing: TIMING, clock });

    await elector.campaign('default', new TestCandidate(), AbortSignal.abort());

    expect(store.requests).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

test('gives way to no token that is lower than one it has seen: releases, and says why', async () => {
  const it = stand((store) => {
    store.record = { kind: 'released', token: 500n };
    store.next('acquire', (perform) => {
      const won = perform() as { won: true };
      return Promise.resolve({ ...won, token: 7n });
    });
  });
  await it.clock.settle();

  expect(it.candidate.terms).toHaveLength(0);
  expect(it.store.count('release')).toBe(1);
  expect(it.candidate.reports).toContainEqual(
    expect.objectContaining({ kind: 'refusal', error: expect.any(EngineRefusalError) }),
  );
});

test('tells the engine which tokens it knows of', async () => {
  const it = stand((store) => void (store.record = { kind: 'released', token: 500n }));
  await it.clock.settle();

  expect(it.store.last('acquire').argument).toMatchObject({
    tokenAbove: 500n,
    basis: { kind: 'released', token: 500n },
  });
});
