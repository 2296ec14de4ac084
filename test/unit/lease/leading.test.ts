import { describe, expect, test } from '@jest/globals';
import { LeaseOverrunError } from '../../../lib/core/errors.js';
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

const { leaseMs: L, renewMs: R, requestTimeoutMs: T, stopBudgetMs: S, deadlineMs: D, retryMs } = TIMING;
const SHUTDOWN = 25_000;

describe('renews', () => {
  test('once in every interval, from sending to sending', async () => {
    const it = await Stand.leading();
    it.store.always('renew', async (perform) => {
      await new Promise<void>((resolve) => it.clock.setTimer(resolve, 300));
      return perform();
    });

    await it.clock.advance(5 * R);

    expect(it.store.sent('renew')).toEqual([R, 2 * R, 3 * R, 4 * R, 5 * R]);
    expect(it.candidate.terms).toHaveLength(1);
  });

  test('again, after a jittered pause, when one has failed, and nothing is lost', async () => {
    const it = await Stand.leading({ random: () => 1 });
    it.store.next('renew', fail(), fail());

    await it.clock.advance(10 * L);

    expect(it.store.sent('renew').slice(0, 4)).toEqual([R, R + retryMs, R + 2 * retryMs, 2 * R + 2 * retryMs]);
    expect(it.candidate.term.signal.aborted).toBe(false);
  });

  test('in time for two that take their whole time', async () => {
    const it = await Stand.leading({ random: () => 1 });
    it.store.next('renew', hang);
    const arrive = it.store.holdAnswer('renew');

    await it.clock.advance(R + T + retryMs + T - 1);
    arrive();
    await it.clock.advance(L);

    expect(it.candidate.leads).toBe(true);
  });

  test('and reports how long it took and how much time is left', async () => {
    const it = await Stand.leading();
    const arrive = it.store.holdAnswer('renew');
    await it.clock.advance(R + 100);
    arrive();
    await it.clock.settle();

    expect(it.candidate.reports.at(-1)).toEqual({ kind: 'renewal', latencyMs: 100, deadlineInMs: D - 100 });
  });

  test('from the version of a renewal whose answer was lost', async () => {
    const it = await Stand.leading();
    const versions: unknown[] = [];
    it.store.always('renew', () => {
      const lease = it.store.last('renew').argument as { version?: number };
      versions.push(lease.version);
      if (lease.version === 2) return Promise.resolve({ renewed: true, version: 3 });
      const record = { kind: 'held', holder: 'me#1', identity: 'me', leaseMs: L, version: 2 };
      return Promise.resolve({ renewed: false, record });
    });

    await it.clock.advance(R);

    expect(versions).toEqual([undefined, 2]);
    expect(it.store.sent('renew')).toEqual([R, R]);
    expect(it.candidate.leads).toBe(true);
  });

  test('not without end an engine that says it is ours and does not renew it', async () => {
    const it = await Stand.leading();
    const record = { kind: 'held', holder: 'me#1', identity: 'me', leaseMs: L, version: 2 };
    it.store.always('renew', answer({ renewed: false, record }));

    await it.clock.advance(D);

    expect(it.candidate.leads).toBe(false);
    expect(it.store.count('renew')).toBeLessThan(40);
  });

  test.each([
    ['nothing', answer(undefined)],
    ['no boolean', answer({ renewed: 'OK' })],
    [
      'by throwing',
      () => {
        throw new Error('not connected');
      },
    ],
  ])('in spite of an engine that answers %s, until the deadline', async (_what, plan) => {
    const it = await Stand.leading();
    it.store.always('renew', plan);
    await it.clock.advance(D - 1);
    expect(it.candidate.leads).toBe(true);

    await it.clock.advance(1);

    expect(it.candidate.leads).toBe(false);
    expect(it.candidate.errors('renew').length).toBeGreaterThan(1);
  });
});

test('asks for nothing at a hint while it leads, nor for anything twice afterwards', async () => {
  const it = await Stand.leading();
  for (let hints = 0; hints < 5; hints++) {
    it.store.hint();
    await it.clock.advance(10);
  }
  expect(it.store.count('read')).toBe(1);

  it.candidate.settle();
  await it.clock.advance(retryMs);

  expect(it.store.count('read')).toBeLessThanOrEqual(3);
});

describe('loses the term', () => {
  test('at the deadline, counted from when the last acknowledged request was sent', async () => {
    const it = await Stand.leading();
    const arrive = it.store.holdAnswer('renew');
    await it.clock.advance(R + 1000);
    arrive();
    it.store.always('renew', hang);
    await it.clock.advance(D - 1000 - 1);
    expect(it.candidate.term.signal.aborted).toBe(false);

    await it.clock.advance(1);

    expect(it.candidate.term.signal.aborted).toBe(true);
    expect(String(it.candidate.term.signal.reason)).toContain('no renewal was acknowledged');
  });

  test('at once when the engine says that the lease is not its own, and releases nothing', async () => {
    const it = await Stand.leading();
    it.store.heldBy('rival', 105n);

    await it.clock.advance(R);
    expect(it.candidate.leads).toBe(false);
    it.candidate.settle();
    await it.clock.settle();

    expect(it.store.count('release')).toBe(0);
    expect(it.store.record).toMatchObject({ kind: 'held', holder: 'rival' });
  });

  test('at once when the engine names its holder under another token', async () => {
    const it = await Stand.leading();
    const record = { kind: 'held', holder: 'me#1', identity: 'me', leaseMs: L, remainingMs: L, token: 999n };
    it.store.next('renew', answer({ renewed: false, record }));

    await it.clock.advance(R);

    expect(it.candidate.leads).toBe(false);
  });

  test('and is not helped by an acknowledgement that comes after it', async () => {
    const it = await Stand.leading();
    it.store.always('renew', hang);
    await it.clock.advance(D - 200);
    it.store.always('renew');
    const arrive = it.store.holdAnswer('renew');
    await it.clock.advance(199);
    expect(it.candidate.leads).toBe(true);
    await it.clock.advance(1);

    arrive();
    await it.clock.settle();

    expect(it.candidate.leads).toBe(false);
    expect(it.candidate.terms).toHaveLength(1);
  });

  test('and campaigns again when the work has settled and the lease is released, under a new name', async () => {
    const it = await Stand.leading();
    it.store.always('renew', hang);
    await it.clock.advance(D);
    await it.clock.advance(S - 1);
    expect(it.store.count('release')).toBe(0);
    expect(it.store.count('read')).toBe(1);

    it.candidate.settle();
    await it.clock.settle();

    expect(it.store.last('release').argument).toMatchObject({ holder: 'me#1', token: 101n });
    expect(it.store.last('acquire').argument).toMatchObject({ holder: 'me#2' });
    expect(it.candidate.terms.map(({ fencingToken }) => fencingToken)).toEqual([101n, 102n]);
    expect(it.candidate.leads).toBe(true);
  });

  test('once in its life, and every time there is something to lose', async () => {
    const it = await Stand.leading();
    const story: string[] = [];
    it.candidate.work = (term) => {
      story.push(`+${term.fencingToken}`);
      return new Promise((resolve) =>
        term.signal.addEventListener('abort', () => {
          story.push(`-${term.fencingToken}`);
          resolve();
        }),
      );
    };
    it.candidate.settle();
    for (let times = 0; times < 3; times++) {
      await it.clock.advance(L);
      it.clock.wallOffsetMs += D;
      await it.clock.advance(R);
    }

    expect(story.length).toBeGreaterThanOrEqual(6);
    for (const [index, it_] of story.entries()) expect(it_.startsWith(index % 2 === 0 ? '+' : '-')).toBe(true);
  });
});

describe('gives the term up', () => {
  test('in the tick in which its campaign is told to end', async () => {
    const it = await Stand.leading();
    const reason = new Error('the application stops');

    it.control.abort(reason);

    expect(it.candidate.term.signal.aborted).toBe(true);
    expect(it.candidate.term.signal.reason.cause).toBe(reason);
    expect(it.candidate.leads).toBe(false);
  });

  test('and releases only when the work has settled', async () => {
    const it = await Stand.leading();
    it.control.abort();
    await it.clock.advance(T);
    expect(it.store.count('release')).toBe(0);
    expect(it.ended).toBe(false);

    it.candidate.settle();
    await it.clock.settle();

    expect(it.store.record).toEqual({ kind: 'released', token: 101n });
    expect(it.ended).toBe(true);
    expect(it.clock.pending).toBe(0);
  });

  test('and keeps the lease while the work settles', async () => {
    const it = await Stand.leading();
    it.control.abort();

    await it.clock.advance(SHUTDOWN - 1);

    expect(it.store.count('renew')).toBe(Math.floor((SHUTDOWN - 1) / R));
    expect(it.candidate.errors('stop')).toEqual([]);
    it.candidate.settle();
    await it.clock.settle();
    expect(it.store.record.kind).toBe('released');
  });

  test('and does not wait for a renewal that is under way before it releases, beyond its time', async () => {
    const it = await Stand.leading();
    it.store.next('renew', commitThenHang);
    await it.clock.advance(R);
    it.control.abort();
    it.candidate.settle();
    await it.clock.advance(T - 1);
    expect(it.store.count('release')).toBe(0);

    await it.clock.advance(1);

    expect(it.store.record.kind).toBe('released');
    expect(it.ended).toBe(true);
  });

  test('without leading when it was won for a campaign that has ended', async () => {
    const it = new Stand();
    const arrive = it.store.holdAnswer('acquire');
    await it.clock.settle();
    it.control.abort();
    arrive();
    await it.clock.settle();

    expect(it.candidate.terms).toEqual([]);
    expect(it.candidate.leaders).toEqual([]);
  });

  test('but not the lease of somebody else, who got it while the work settled', async () => {
    const it = await Stand.leading();
    it.control.abort();
    it.store.heldBy('rival', 105n);
    await it.clock.advance(R);
    it.candidate.settle();
    await it.clock.settle();

    expect(it.store.count('release')).toBe(0);
    expect(it.ended).toBe(true);
  });
});

describe('resigns', () => {
  test.each([
    ['resolves', () => Promise.resolve()],
    ['rejects', () => Promise.reject(new Error('broken'))],
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
  ])('when the work %s by itself, and lets others go first for half a lease', async (_how, end) => {
    const clock = new TestClock();
    const candidate = new TestCandidate();
    candidate.work = end;
    const store = new TestStore(clock);
    const it = new Stand(clock, store, candidate);
    await clock.advance(L / 2 - 1);
    expect(candidate.terms).toHaveLength(1);
    expect(String(candidate.term.signal.reason)).toContain('resigned');
    expect(store.record.kind).toBe('released');
    expect(it.ended).toBe(false);

    await clock.advance(2);

    expect(candidate.terms).toHaveLength(2);
    expect(store.count('acquire')).toBe(2);
  });

  test('for a rival, who then leads', async () => {
    const clock = new TestClock();
    const store = new TestStore(clock);
    const first = new Stand(clock, store, new TestCandidate('first'));
    await clock.settle();
    const second = new Stand(clock, store, new TestCandidate('second'));
    await clock.settle();

    first.candidate.settle();
    await clock.settle();

    expect(second.candidate.leads).toBe(true);
    await clock.advance(2 * L);
    expect(first.candidate.terms).toHaveLength(1);
    expect(first.candidate.leaders.at(-1)?.identity).toBe('second');
  });

  test('and stands back also when it campaigns anew at once', async () => {
    const it = await Stand.leading();
    await it.end();
    const again = new TestCandidate();
    void it.elector.campaign('default', again, new AbortController().signal);

    await it.clock.advance(L / 2 - 1);
    expect(again.terms).toHaveLength(0);
    await it.clock.advance(2);
    expect(again.leads).toBe(true);
  });

  test('reports what the work threw', async () => {
    const clock = new TestClock();
    const candidate = new TestCandidate();
    const error = new Error('broken');
    candidate.work = () => Promise.reject(error);
    const it = new Stand(clock, new TestStore(clock), candidate);
    await clock.settle();

    expect(it.candidate.errors('onElected')).toEqual([error]);
  });
});

describe('an overrun', () => {
  test('after a loss: is reported when the stop budget is used up, and the lease is not released', async () => {
    const it = await Stand.leading();
    it.store.always('renew', hang);
    await it.clock.advance(D + S - 1);
    expect(it.candidate.errors('stop')).toEqual([]);

    await it.clock.advance(1);
    expect(it.candidate.errors('stop')).toEqual([expect.any(LeaseOverrunError)]);
    await it.clock.advance(10 * L);
    expect(it.store.count('read')).toBe(1);

    it.candidate.settle();
    await it.clock.settle();
    expect(it.store.count('release')).toBe(0);
    expect(it.store.count('read')).toBe(2);
    expect(it.candidate.errors('stop')).toHaveLength(1);
  });

  test('after it was given up: when the shutdown timeout is used up, and the lease then runs out', async () => {
    const it = await Stand.leading();
    it.control.abort();
    await it.clock.advance(SHUTDOWN - 1);
    expect(it.candidate.errors('stop')).toEqual([]);

    await it.clock.advance(1);
    const renewals = it.store.count('renew');
    expect(it.candidate.errors('stop')).toEqual([expect.any(LeaseOverrunError)]);
    await it.clock.advance(L);

    expect(it.store.count('renew')).toBe(renewals);
    expect(it.ended).toBe(false);
    it.candidate.settle();
    await it.clock.settle();
    expect(it.ended).toBe(true);
    expect(it.store.count('release')).toBe(0);
  });

  test('after it was given up: already when the engine does not answer and the lease runs out', async () => {
    const it = await Stand.leading();
    it.control.abort();
    it.store.always('renew', hang);

    await it.clock.advance(D + S - 1);
    expect(it.candidate.errors('stop')).toEqual([]);
    await it.clock.advance(1);

    expect(it.candidate.errors('stop')).toHaveLength(1);
  });

  test('after it was given up and then lost: the stop budget counts from the loss', async () => {
    const it = await Stand.leading();
    it.control.abort();
    it.store.heldBy('rival', 105n);
    await it.clock.advance(R + S - 1);
    expect(it.candidate.errors('stop')).toEqual([]);

    await it.clock.advance(1);

    expect(it.candidate.errors('stop')).toHaveLength(1);
  });
});

describe('a release', () => {
  test('is tried again while there is time within one request', async () => {
    const it = await Stand.leading();
    it.store.next('release', fail(), fail());
    it.control.abort();
    it.candidate.settle();

    await it.clock.advance(T);

    expect(it.store.count('release')).toBe(3);
    expect(it.store.record.kind).toBe('released');
    expect(it.ended).toBe(true);
  });

  test.each([
    ['hangs', hang],
    ['fails', fail()],
    [
      'throws',
      () => {
        throw new Error('not connected');
      },
    ],
  ])('that %s keeps the campaign no longer than one request may take', async (_how, plan) => {
    const it = await Stand.leading();
    it.store.always('release', plan);
    it.control.abort();
    it.candidate.settle();

    await it.clock.advance(T);

    expect(it.ended).toBe(true);
    expect(it.candidate.errors('release').length).toBeGreaterThan(0);
    expect(it.clock.pending).toBe(0);
  });
});

describe('a process that did not run', () => {
  test('does not lead at its first read, though no timer has fired', async () => {
    const it = await Stand.leading();
    const before = it.clock.now.bind(it.clock);
    it.clock.now = () => before() + D;

    expect(it.candidate.term.signal.aborted).toBe(false);
    expect(it.candidate.term.isValid()).toBe(false);
  });

  test('is not saved by a renewal that was answered meanwhile', async () => {
    const it = await Stand.leading();
    const arrive = it.store.holdAnswer('renew');
    await it.clock.advance(R);
    it.clock.sleptMs = D;
    arrive();
    await it.clock.settle();

    expect(it.candidate.leads).toBe(false);
    expect(it.candidate.term.signal.aborted).toBe(true);
  });
});
