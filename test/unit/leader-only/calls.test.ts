import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../lib/core/deferred.js';
import { OutsideOfTermError } from '../../../lib/core/errors.js';
import type { LeadershipTerm } from '../../../lib/core/elector.js';
import { MemoryElectionHub } from '../../../lib/electors/memory/memory-election-hub.js';
import { MemoryElector } from '../../../lib/electors/memory/memory-elector.js';
import { livenessReasons } from '../../../lib/health/probe-reasons.js';
import { LeaderOnly } from '../../../lib/leader-only/leader-only.decorator.js';
import { leaderTerm } from '../../../lib/leader-only/leader-term.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { ManualElector } from '../../../lib/testing/manual-elector.js';
import { leaderOnly, ScriptedElector, TermWithDeadline, Worker } from '../leadership/leadership-fixtures.js';
import { CallingReplica } from './leader-only-fixtures.js';

/** Marked methods under the test's control. */
class Reports {
  readonly terms: LeadershipTerm[] = [];
  body: () => unknown = () => undefined;

  @LeaderOnly()
  sync(value?: unknown): unknown {
    this.terms.push(leaderTerm());
    return value ?? this.body();
  }

  @LeaderOnly()
  async nightly(...args: unknown[]): Promise<unknown> {
    this.terms.push(leaderTerm());
    await this.body();
    this.terms.push(leaderTerm());
    return args;
  }

  @LeaderOnly('other')
  async other(): Promise<void> {
    await this.body();
  }
}

/** Two replicas on one hub; the first one leads. */
async function leaderAndRival() {
  const hub = new MemoryElectionHub();
  const clock = new ManualClock();
  const leader = new CallingReplica({ elector: new MemoryElector(hub), clock, identity: 'leader' });
  const rival = new CallingReplica({ elector: new MemoryElector(hub), clock, identity: 'rival' });
  const reports = leader.adopt(new Reports());
  const rivalReports = rival.adopt(new Reports());
  await leader.boot();
  await rival.boot();
  const stop = () => Promise.all([leader.leadership.stop(), rival.leadership.stop()]);
  return { clock, leader, rival, reports, rivalReports, stop };
}

describe('on the leader a marked method', () => {
  test('runs with its arguments and its object, and gives back what it returns', async () => {
    const { reports, stop } = await leaderAndRival();
    const value = {};
    expect(reports.sync(value)).toBe(value);
    expect(await reports.nightly('a', 2)).toEqual(['a', 2]);
    await stop();
  });

  test('runs under the term, before and after it has waited', async () => {
    const { leader, reports, stop } = await leaderAndRival();
    const term = leader.leadership.term();
    await reports.nightly();
    expect(reports.terms).toEqual([term, term]);
    expect(leader.leadership.current()).toBeUndefined();
    expect(leaderTerm).toThrow(OutsideOfTermError);
    await stop();
  });

  test('throws and rejects with what it threw', async () => {
    const { leader, reports, stop } = await leaderAndRival();
    const error = new Error('broken');
    reports.body = () => {
      throw error;
    };
    expect(() => reports.sync()).toThrow(error);
    await expect(reports.nightly()).rejects.toBe(error);
    expect(leader.countOf('Reports.sync')).toMatchObject({ ran: 1, skipped: 0 });
    await stop();
  });

  test('begins the work of a query once, and before its caller awaits it', async () => {
    const { leader, reports, stop } = await leaderAndRival();
    const terms: unknown[] = [];
    const query = {
      // oxlint-disable-next-line unicorn/no-thenable -- as query builders have it
      then: (resolve: (value: string) => void) => {
        terms.push(leader.leadership.current());
        resolve('rows');
      },
    };
    reports.body = () => query;
    expect(await reports.sync()).toBe('rows');
    expect(terms).toEqual([leader.leadership.term()]);
    await stop();
  });

  test('leaves no rejection unhandled but the one that its caller has not handled', async () => {
    const { reports, stop } = await leaderAndRival();
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', listener);
    reports.body = () => Promise.reject(new Error('handled'));
    await reports.nightly().catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
    await stop();
  });
});

describe('on a follower a marked method', () => {
  test('does not run, and gives undefined, or a promise of it', async () => {
    const { rivalReports, stop } = await leaderAndRival();
    expect(rivalReports.sync('value')).toBeUndefined();
    const promise = rivalReports.nightly();
    expect(promise).toBeInstanceOf(Promise);
    expect(await promise).toBeUndefined();
    expect(rivalReports.terms).toEqual([]);
    await stop();
  });

  test('is counted, and logged once until it has run', async () => {
    const { leader, rival, rivalReports, stop } = await leaderAndRival();
    rivalReports.sync();
    rivalReports.sync();
    expect(rival.countOf('Reports.sync')).toEqual({ method: 'Reports.sync', election: 'default', ran: 0, skipped: 2 });
    expect(rival.debugged).toEqual(['Reports.sync() is skipped while this replica does not lead election "default"']);

    await leader.leadership.stop();
    rivalReports.sync();
    await rival.leadership.stop();
    rivalReports.sync();
    rivalReports.sync();
    expect(rival.countOf('Reports.sync')).toMatchObject({ ran: 1, skipped: 4 });
    expect(rival.debugged).toHaveLength(2);
    await stop();
  });

  test('is counted before anybody has stood for election, and in an app that starts nothing', () => {
    const replica = new CallingReplica({ elector: new ManualElector() });
    const reports = replica.adopt(new Reports());
    expect(replica.countOf('Reports.nightly')).toMatchObject({ ran: 0, skipped: 0 });
    expect(reports.sync(1)).toBeUndefined();
    expect(replica.countOf('Reports.sync')).toMatchObject({ skipped: 1 });
    expect(replica.calls.elections()).toEqual(['default', 'other']);
  });

  test('stands for an election that nobody has named before', async () => {
    const replica = new CallingReplica({ elector: new MemoryElector(new MemoryElectionHub()) });
    await replica.boot();
    const reports = replica.adopt(new Reports());
    await reports.other();
    await replica.clock.settle();
    expect(replica.leadership.isLeader('other')).toBe(true);
    await reports.other();
    expect(replica.countOf('Reports.other')).toMatchObject({ ran: 1, skipped: 1 });
    await replica.leadership.stop();
  });
});

describe('a call whose term is over', () => {
  test('does not begin past a deadline that nobody has noticed', async () => {
    const term = new TermWithDeadline();
    const elector = new ScriptedElector(({ candidate }) => candidate.onElected(term));
    const replica = new CallingReplica({ elector });
    const reports = replica.adopt(new Reports());
    await replica.boot();
    expect(reports.sync('ran')).toBe('ran');
    term.overdue = true;
    expect(reports.sync('ran')).toBeUndefined();
    void replica.leadership.stop();
  });

  test('has its signal aborted at once, and is waited for before anybody else leads', async () => {
    const { clock, leader, rival, reports, rivalReports, stop } = await leaderAndRival();
    const work = new Deferred<void>();
    reports.body = () => work.promise;
    const call = reports.nightly();
    const handedOver = leader.leadership.stepDown('maintenance', { cooldownMs: 60_000 });
    expect(reports.terms[0]?.signal.aborted).toBe(true);
    await clock.advance(5000);
    expect([leader.leadership.isLeader(), rival.leadership.isLeader()]).toEqual([false, false]);
    expect(reports.sync('more')).toBeUndefined();

    work.resolve();
    await call;
    await handedOver;
    await clock.settle();
    expect(rivalReports.sync('ran')).toBe('ran');
    await stop();
  });

  test('is waited for at shutdown, however it ends', async () => {
    const { clock, leader, rival, reports } = await leaderAndRival();
    const work = new Deferred<void>();
    reports.body = () => work.promise;
    const calls = Promise.allSettled([reports.nightly(), reports.nightly()]);
    let stopped = false;
    const stopping = leader.leadership.stop().then(() => (stopped = true));
    await clock.settle();
    expect([stopped, rival.leadership.isLeader()]).toEqual([false, false]);
    work.reject(new Error('broken'));
    await calls;
    await stopping;
    await clock.settle();
    expect(rival.leadership.isLeader()).toBe(true);
    await rival.leadership.stop();
  });

  test('is named when its time is over, and fails liveness until it has settled', async () => {
    const { clock, leader, rival, reports, stop } = await leaderAndRival();
    const work = new Deferred<void>();
    reports.body = () => work.promise;
    const call = reports.nightly();
    void leader.leadership.stepDown('maintenance', { cooldownMs: 60_000 });
    const liveness = () => livenessReasons([], leader.leadership.elections());

    await clock.advance(9999);
    expect([leader.logger.matching(/^error/), liveness()]).toEqual([[], []]);
    await clock.advance(1);
    const text = 'Reports.nightly() has not settled 10000 ms after the term of election "default" ended';
    expect(leader.logger.matching(/^error/)).toEqual([expect.stringContaining(text)]);
    expect(liveness()).toEqual([expect.stringContaining(text)]);
    await clock.advance(60 * 60_000);
    expect(rival.leadership.isLeader()).toBe(false);
    expect(leader.logger.matching(/^error/)).toHaveLength(1);

    work.resolve();
    await call;
    await clock.settle();
    expect([liveness(), rival.leadership.isLeader()]).toEqual([[], true]);
    await stop();
  });

  test('keeps the replica from campaigning again, also where the elector itself has gone', async () => {
    const broken = new Deferred<never>();
    const elector: ScriptedElector = new ScriptedElector(({ candidate }) => {
      void candidate.onElected(elector.term());
      return broken.promise;
    });
    const replica = new CallingReplica({ elector });
    const reports = replica.adopt(new Reports());
    await replica.boot();
    const work = new Deferred<void>();
    reports.body = () => work.promise;
    void reports.nightly();
    broken.reject(new Error('connection lost'));
    await replica.clock.advance(60 * 60_000);
    expect(elector.calls).toHaveLength(1);
    work.resolve();
    await replica.clock.advance(1000);
    expect(elector.calls).toHaveLength(2);
    void replica.leadership.stop();
  });
});

describe('a marked method that work of a term calls', () => {
  test('runs under its own election, and can give up that of its caller', async () => {
    const hub = new MemoryElectionHub();
    const replica = new CallingReplica({ elector: new MemoryElector(hub) });
    const reports = replica.adopt(new Reports());
    const worker = new Worker();
    const seen: unknown[] = [];
    reports.body = async () => {
      seen.push(leaderTerm().election);
      // Waits for the release, which waits for the caller: it must not.
      await replica.leadership.stepDown('maintenance', { election: 'default', cooldownMs: 60_000 });
      seen.push('gave up');
    };
    let call: Promise<void> | undefined;
    worker.onStart = () => (call = reports.other());
    leaderOnly(replica, { worker });
    await replica.boot('other', 'default');
    await call;
    expect(seen).toEqual(['other', 'gave up']);
    await replica.leadership.stop();
  });

  test('does not begin once the term has ended', async () => {
    const { leader, reports, stop } = await leaderAndRival();
    const work = new Deferred<void>();
    let nested: unknown = 'not called';
    reports.body = async () => {
      await work.promise;
      nested = reports.sync('ran');
    };
    const call = reports.nightly();
    void leader.leadership.stepDown('maintenance', { cooldownMs: 60_000 });
    work.resolve();
    await call;
    expect(nested).toBeUndefined();
    await stop();
  });
});
