import { describe, expect, test } from '@jest/globals';
import type { Criticality } from '../../../lib/core/component.js';
import { MemoryElectionHub } from '../../../lib/electors/memory/memory-election-hub.js';
import { MemoryElector } from '../../../lib/electors/memory/memory-elector.js';
import { StandaloneElector } from '../../../lib/electors/standalone/standalone-elector.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { leaderOnly, Replica, Worker } from './leadership-fixtures.js';

const SECOND = 1000;

/** A replica whose leader-only component fails at every start for as long as `broken` says so. */
async function failing(options: {
  broken: () => boolean;
  criticality?: Criticality;
  hub?: MemoryElectionHub;
  clock?: ManualClock;
}) {
  const { broken, criticality = 'critical', hub = new MemoryElectionHub(), clock = new ManualClock() } = options;
  const replica = new Replica({ elector: new MemoryElector(hub), clock });
  const worker = leaderOnly(replica, { criticality });
  worker.onStart = () => {
    if (broken()) throw new Error('disk is full');
  };
  await replica.boot();
  return { replica, worker };
}

describe('a critical leader-only component that has failed for good', () => {
  test('makes the replica step down, with the component and its error as the reason', async () => {
    const { replica } = await failing({ broken: () => true });

    expect(replica.terms).toEqual(['+1', '-1']);
    expect(replica.losses).toMatchObject([{ voluntary: true, reason: { cause: { message: 'disk is full' } } }]);
    expect(String(replica.losses[0]?.reason)).toContain('component "worker" failed: disk is full');
    await replica.leadership.stop();
  });

  test('lets another replica lead', async () => {
    const hub = new MemoryElectionHub();
    const clock = new ManualClock();
    const other = new Replica({ elector: new MemoryElector(hub), clock, identity: 'other' });
    let broken = false;
    const { replica, worker } = await failing({ broken: () => broken, hub, clock });
    const healthy = leaderOnly(other);
    await other.boot();
    broken = true;

    worker.break(new Error('disk is full'));
    await clock.settle();

    expect([replica.leadership.isLeader(), other.leadership.isLeader()]).toEqual([false, true]);
    expect(healthy.starts).toBe(1);
    expect(replica.statusOf('worker')).toBe('standby');
    await Promise.all([replica.leadership.stop(), other.leadership.stop()]);
  });

  test('keeps the replica out for 5 s, then twice as long after each failed term, up to 5 min', async () => {
    const { replica, worker } = await failing({ broken: () => true });
    const pauses: number[] = [];
    for (let last = replica.clock.now(); pauses.length < 9;) {
      const { starts } = worker;
      while (worker.starts === starts) await replica.clock.advance(SECOND);
      pauses.push((replica.clock.now() - last) / SECOND);
      last = replica.clock.now();
    }

    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
    await replica.leadership.stop();
  });

  test('begins at 5 s again after a term in which nothing failed, however that ended', async () => {
    let broken = true;
    const { replica, worker } = await failing({ broken: () => broken });
    await replica.clock.advance(5 * SECOND + 10 * SECOND);
    expect(worker.starts).toBe(3);
    broken = false;
    await replica.clock.advance(20 * SECOND);
    expect(replica.leadership.isLeader()).toBe(true);

    broken = true;
    await replica.leadership.stepDown('maintenance', { cooldownMs: 2 * SECOND });
    await replica.clock.advance(2 * SECOND);
    expect(worker.starts).toBe(5);
    await replica.clock.advance(5 * SECOND);

    expect(worker.starts).toBe(6);
    await replica.leadership.stop();
  });

  test('steps down only once the restarts of its policy are used up', async () => {
    const replica = new Replica({ elector: new MemoryElector(new MemoryElectionHub()) });
    const worker = leaderOnly(replica, { restart: { mode: 'on-failure', maxRestarts: 2, initialDelayMs: 100 } });
    worker.onStart = () => {
      throw new Error('disk is full');
    };
    await replica.boot();
    expect(replica.leadership.isLeader()).toBe(true);

    await replica.clock.advance(SECOND);

    expect(worker.starts).toBe(3);
    expect(replica.leadership.isLeader()).toBe(false);
    await replica.leadership.stop();
  });

  test('stays failed on a standalone replica, which goes on leading', async () => {
    const clock = new ManualClock();
    const replica = new Replica({ elector: new StandaloneElector({ clock }), clock });
    const worker = leaderOnly(replica);
    await replica.boot();

    worker.break(new Error('disk is full'));
    await clock.advance(600 * SECOND);

    expect([replica.leadership.isLeader(), replica.statusOf('worker'), worker.starts]).toEqual([true, 'failed', 1]);
    await replica.leadership.stop();
  });

  test.each(['degradable', 'optional'] as const)(
    'is needed for that: a %s one does not make it step down',
    async (criticality) => {
      const { replica } = await failing({ broken: () => true, criticality });

      await replica.clock.advance(60 * SECOND);

      expect(replica.leadership.isLeader()).toBe(true);
      expect(replica.statusOf('worker')).toBe('failed');
      await replica.leadership.stop();
    },
  );

  test('counts once where two fail in one term', async () => {
    const { replica, worker } = await failing({ broken: () => false });
    const second = leaderOnly(replica, { worker: new Worker('second') });
    await replica.clock.settle();

    worker.break(new Error('one'));
    second.break(new Error('two'));
    await replica.clock.settle();
    await replica.clock.advance(4999);
    expect(replica.terms).toEqual(['+1', '-1']);
    await replica.clock.advance(1);

    expect(replica.terms).toEqual(['+1', '-1', '+2']);
    await replica.leadership.stop();
  });
});
