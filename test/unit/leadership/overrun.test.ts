import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../lib/core/deferred.js';
import { LifecycleEvent } from '../../../lib/core/lifecycle-events.js';
import { MemoryElectionHub } from '../../../lib/electors/memory/memory-election-hub.js';
import { MemoryElector } from '../../../lib/electors/memory/memory-elector.js';
import { ManualElector } from '../../../lib/testing/manual-elector.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { leaderOnly, Replica, ScriptedElector, Worker } from './leadership-fixtures.js';

const MINUTE = 60_000;

/** A leader whose work does not settle until the test says so, and a rival on the same hub. */
async function leaderAndRival() {
  const hub = new MemoryElectionHub();
  const clock = new ManualClock();
  const leader = new Replica({ elector: new MemoryElector(hub), clock, identity: 'leader' });
  const rival = new Replica({ elector: new MemoryElector(hub), clock, identity: 'rival' });
  const settling = new Deferred<void>();
  const worker = leaderOnly(leader, { stopTimeoutMs: 2000 });
  worker.settling = settling.promise;
  const rivalWorker = leaderOnly(rival);
  await leader.boot();
  await rival.boot();
  return { clock, leader, rival, worker, rivalWorker, settle: () => settling.resolve() };
}

describe('work that overruns its stop', () => {
  test('keeps the lease until it has settled, however long that takes', async () => {
    const { clock, leader, rival, worker, rivalWorker, settle } = await leaderAndRival();
    void leader.leadership.stepDown('maintenance', { cooldownMs: MINUTE });

    await clock.advance(60 * MINUTE);
    expect([leader.leadership.isLeader(), rival.leadership.isLeader()]).toEqual([false, false]);
    expect([worker.running, rivalWorker.starts]).toEqual([1, 0]);

    settle();
    await clock.settle();
    expect(rival.leadership.isLeader()).toBe(true);
    await Promise.all([leader.leadership.stop(), rival.leadership.stop()]);
  });

  test('is named in an error when its budget is over', async () => {
    const { clock, leader, rival, settle } = await leaderAndRival();
    void leader.leadership.stepDown('maintenance', { cooldownMs: MINUTE });

    await clock.advance(1999);
    expect(leader.logger.matching(/^error/)).toEqual([]);
    await clock.advance(1);

    expect(leader.logger.matching(/^error Component "worker" has not stopped after 2000 ms/)).toHaveLength(1);
    expect(leader.logger.matching(/^warn .*nobody else can lead before "worker" has settled/)).toHaveLength(1);
    expect(leader.registry.status()['worker']?.error).toContain('has not stopped');
    settle();
    await Promise.all([leader.leadership.stop(), rival.leadership.stop()]);
  });

  test('of a term that was lost has the budget of the elector, is named when that is over, and fails liveness', async () => {
    const elector = Object.assign(new ManualElector(), { stopBudgetMs: 500 });
    const replica = new Replica({ elector });
    const settling = new Deferred<void>();
    leaderOnly(replica, { stopTimeoutMs: 2000 }).settling = settling.promise;
    await replica.boot();
    await elector.elect();
    await replica.clock.settle();

    const deposed = elector.depose();
    await replica.clock.advance(499);
    expect(replica.logger.matching(/^error/)).toEqual([]);
    await replica.clock.advance(1);

    expect(replica.logger.matching(/^error Component "worker" has not stopped after 500 ms/)).toHaveLength(1);
    expect(replica.logger.matching(/^warn .*another replica may lead although "worker" has not settled/)).toHaveLength(
      1,
    );
    expect(replica.registry.snapshot()[0]).toMatchObject({ overrunning: true });
    settling.resolve();
    await deposed;
    await replica.leadership.stop();
  });

  test('keeps the replica from campaigning again, also where the elector itself has gone', async () => {
    const settling = new Deferred<void>();
    const broken = new Deferred<never>();
    const elector: ScriptedElector = new ScriptedElector(({ candidate }) => {
      void candidate.onElected(elector.term());
      return broken.promise;
    });
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    worker.settling = settling.promise;
    await replica.boot();
    expect(worker.running).toBe(1);

    broken.reject(new Error('connection lost'));
    await replica.clock.advance(60 * MINUTE);
    expect(elector.calls).toHaveLength(1);

    settling.resolve();
    await replica.clock.advance(1000);
    expect(elector.calls).toHaveLength(2);
    void replica.leadership.stop();
  });

  test('of one component is waited for also when another has settled long ago', async () => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    const settling = new Deferred<void>();
    leaderOnly(replica, { worker: new Worker('quick') });
    const slow = leaderOnly(replica, { worker: new Worker('slow') });
    slow.settling = settling.promise;
    await replica.boot();
    await elector.elect();
    await replica.clock.settle();

    let released = false;
    void elector.depose().then(() => (released = true));
    await replica.clock.advance(MINUTE);
    expect([replica.statusOf('quick'), replica.statusOf('slow'), released]).toEqual(['standby', 'stopping', false]);

    settling.resolve();
    await replica.clock.settle();
    expect([replica.statusOf('slow'), released]).toEqual(['standby', true]);
    await replica.leadership.stop();
  });

  test('that is still starting does not hold back the events of the app once the term has ended', async () => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    const never = new Deferred<void>();
    const deaf = { name: 'deaf', start: () => never.promise, stop: () => undefined };
    replica.registry.register(deaf, { leaderOnly: true });
    const seen: string[] = [];
    replica.bus.emitter.on('orders.created', (id: string) => seen.push(id));
    replica.bus.emitter.on(LifecycleEvent.LeadershipLost, () => seen.push('lost'));
    await replica.boot();
    await elector.elect();
    await replica.clock.settle();
    replica.bus.publish('orders.created', '1');
    expect(seen).toEqual([]);

    void elector.depose();
    await replica.clock.settle();
    replica.bus.publish('orders.created', '2');

    expect(seen).toEqual(['1', '2']);
    never.resolve();
    await replica.leadership.stop();
  });
});
