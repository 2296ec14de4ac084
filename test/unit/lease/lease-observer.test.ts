import { beforeEach, describe, expect, test } from '@jest/globals';
import { LeaseObserver } from '../../../lib/core/lease/lease-observer.js';
import type { HeldRecord, LeaseRecord } from '../../../lib/core/lease/lease-store.js';

const L = 8000;
const EMPTY_WAIT = 3000;
let observer: LeaseObserver;

beforeEach(() => {
  observer = new LeaseObserver(L, EMPTY_WAIT);
  observer.me = 'me#1';
});

const at = (ms: number) => ({ monotonic: ms, wall: 1_000_000 + ms, boot: undefined });
/** Read at a time; the answer is there at once, or later. */
const see = (record: LeaseRecord, askedAt: number, answeredAt = askedAt) =>
  observer.observe(record, at(askedAt), answeredAt);
const absent: LeaseRecord = { kind: 'absent' };
const released = (token: bigint): LeaseRecord => ({ kind: 'released', token });
const vacant = (token: bigint, version?: number): LeaseRecord => ({
  kind: 'vacant',
  token,
  ...(version !== undefined && { version }),
});
const held = (token: bigint, more: Partial<HeldRecord> = { remainingMs: L }): HeldRecord => ({
  kind: 'held',
  holder: `rival#${token}`,
  identity: 'rival',
  leaseMs: L,
  token,
  ...more,
});

describe('with nothing seen before', () => {
  test.each([released(5n), vacant(5n)])('takes what is $kind at once', (record) => {
    see(record, 100);

    expect(observer.eligibleAt).toBe(100);
  });

  test('believes an empty store when it has been empty for its time, from the answer on', () => {
    see(absent, 100, 400);
    see(absent, 2000);

    expect(observer.eligibleAt).toBe(400 + EMPTY_WAIT);
  });

  test('never takes what an engine with a clock says is held', () => {
    see(held(5n), 100);

    expect(observer.eligibleAt).toBe(Infinity);
  });

  test('takes what has not changed for the lease of its holder, from the answer on', () => {
    see(held(5n, { version: 1, leaseMs: 12_000 }), 100, 900);
    see(held(5n, { version: 1, leaseMs: 12_000 }), 5000);
    expect(observer.eligibleAt).toBe(12_900);

    see(held(5n, { version: 2, leaseMs: 12_000 }), 10_000);
    expect(observer.eligibleAt).toBe(22_000);
  });

  test('also takes what an engine with a clock says is held when it has not changed for that long', () => {
    see(held(5n, { version: 1, remainingMs: 60_000 }), 100);

    expect(observer.eligibleAt).toBe(100 + L);
  });
});

describe('distrusts for a whole lease', () => {
  test('an empty store in which something was', () => {
    see(held(5n), 100);
    see(absent, 1000, 1200);

    expect(observer.eligibleAt).toBe(1200 + L);
  });

  test('a holder that is gone before its time', () => {
    see(held(5n, { remainingMs: 6000 }), 100);
    see(vacant(5n), 3000);

    expect(observer.eligibleAt).toBe(3000 + L);
  });

  test('a holder of which nothing was seen but that it is gone', () => {
    see(released(5n), 100);
    see(vacant(6n), 3000);

    expect(observer.eligibleAt).toBe(3000 + L);
  });

  test('a holder that is gone after an engine clock has jumped in between', () => {
    see(held(5n, { remainingMs: 7000 }), 100);
    see(held(5n, { remainingMs: 500 }), 2000);
    see(vacant(5n), 2600);

    expect(observer.eligibleAt).toBe(2600 + L);
  });

  test('a holder that is gone though it was written to less than a lease ago', () => {
    see(held(5n, { version: 1, remainingMs: 3000 }), 100);
    see(held(5n, { version: 2, remainingMs: 200 }), 2800);
    see(vacant(5n), 3200);

    expect(observer.eligibleAt).toBe(3200 + L);
  });

  test('a rival that is gone less than a lease after its own term', () => {
    see(released(5n), 100);
    observer.noteOwnTerm({ election: 'e', holder: 'me#1', identity: 'me', leaseMs: L, token: 6n }, at(9000), 9000);
    see(held(7n, { remainingMs: 300 }), 9500);
    see(vacant(7n), 9900);

    expect(observer.eligibleAt).toBe(9900 + L);
  });

  test('a lease that has run out at every look, and was renewed between them', () => {
    see(held(5n, { version: 1, remainingMs: L }), 0);
    for (const [version, time] of [2000, 5000, 8000, 11_000, 14_000].entries()) {
      see(vacant(5n, version + 2), time);
      expect(observer.eligibleAt).toBe(time + L);
    }

    see(vacant(5n, 6), 17_000);
    expect(observer.eligibleAt).toBe(14_000 + L);
  });

  test.each([released(4n), vacant(4n), held(4n, { version: 1 })])('a token that went back ($kind)', (record) => {
    see(held(5n), 100);
    see(record, 1000);

    expect(observer.eligibleAt).toBe(1000 + L);
  });

  test('for the lease of the holder that was seen, when that is longer', () => {
    see(held(5n, { remainingMs: 12_000, leaseMs: 12_000 }), 100);
    see(absent, 1000);

    expect(observer.eligibleAt).toBe(13_000);
  });

  test('its own lease, when that is not what its attempt has replaced', () => {
    see(released(5n), 100);
    observer.noteAttempt();
    see(held(6n), 2000);
    see(held(7n, { holder: 'me#1', remainingMs: L }), 2500);

    expect(observer.eligibleAt).toBe(2500 + L);
  });
});

describe('trusts', () => {
  test('a release, however much time the holder had left', () => {
    see(held(5n), 100);
    see(released(5n), 200);

    expect(observer.eligibleAt).toBe(200);
  });

  test('a lease that has run out in its time, as answers go', () => {
    see(held(5n, { remainingMs: 1000 }), 100, 400);
    see(vacant(5n), 1400);

    expect(observer.eligibleAt).toBe(1400);
  });

  test('an attempt of its own whose answer was lost', () => {
    see(released(5n), 100);
    observer.noteAttempt();
    see(held(6n, { holder: 'me#1', remainingMs: L }), 2000);

    expect(observer.eligibleAt).toBe(2000);
    expect(observer.highestToken).toBe(5n);
  });

  test('the end of a term of its own', () => {
    see(held(5n), 100);
    observer.noteOwnTerm({ election: 'e', holder: 'me#1', identity: 'me', leaseMs: L, token: 6n }, at(8000), 9000);
    see(vacant(6n), 9100);

    expect(observer.eligibleAt).toBe(9100);
    expect(observer.highestToken).toBe(6n);
  });
});

test('believes no empty store that it has not watched: not over a gap, nor while its machine slept', () => {
  see(absent, 0);
  see(absent, L + 1);
  expect(observer.eligibleAt).toBe(L + 1 + EMPTY_WAIT);

  observer.observe(absent, { monotonic: L + 100, wall: 1_000_000 + 3 * L, boot: undefined }, L + 100);
  expect(observer.eligibleAt).toBe(L + 100 + EMPTY_WAIT);
});

test('knows who leads for as long as the lease runs by what was seen', () => {
  see(held(5n, { remainingMs: 1000 }), 100);

  expect(observer.leaderAt(1099)?.identity).toBe('rival');
  expect(observer.leaderAt(1100)).toBeUndefined();
});

test('knows between which times a lease runs out, until it has', () => {
  see(held(5n, { remainingMs: 1000 }), 100, 300);

  expect(observer.runsOut(500)).toMatchObject({ from: 1100, until: 1300 });
  expect(observer.runsOut(1300)).toBeUndefined();
});

describe('believes at once', () => {
  test('that a lease has run out which was not renewed since it was held', () => {
    see(held(5n, { version: 1, remainingMs: 1000 }), 0);
    see(vacant(5n, 1), 1500);

    expect(observer.eligibleAt).toBe(1500);
  });

  test('that a lease has run out which was renewed once more, and can have run out since', () => {
    see(held(5n, { version: 1, remainingMs: L }), 0);
    see(vacant(5n, 2), L);

    expect(observer.eligibleAt).toBe(L);
  });
});
