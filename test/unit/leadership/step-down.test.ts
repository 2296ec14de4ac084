import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../lib/core/deferred.js';
import { InvalidOptionError, SteppedDownError, UnknownElectionError } from '../../../lib/core/errors.js';
import { MemoryElectionHub } from '../../../lib/electors/memory/memory-election-hub.js';
import { MemoryElector } from '../../../lib/electors/memory/memory-elector.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { aborted, leaderOnly, Replica, Worker } from './leadership-fixtures.js';

/** Replicas with one leader-only worker each, on one hub and one clock, in the order in which they came. */
async function replicas(count: number): Promise<{ replica: Replica; worker: Worker }[]> {
  const hub = new MemoryElectionHub();
  const clock = new ManualClock();
  const made = [];
  for (let index = 0; index < count; index++) {
    const replica = new Replica({ elector: new MemoryElector(hub), clock, identity: `replica-${index}` });
    const worker = leaderOnly(replica);
    await replica.boot();
    made.push({ replica, worker });
  }
  return made;
}

const stopAll = (all: { replica: Replica }[]) => Promise.all(all.map(({ replica }) => replica.leadership.stop()));
const leaders = (all: { replica: Replica }[]) =>
  all.filter(({ replica }) => replica.leadership.isLeader()).map(({ replica }) => replica.leadership.identity);

describe('stepDown()', () => {
  test('makes isLeader() false in this tick', async () => {
    const all = await replicas(1);
    const [{ replica, worker }] = all as [(typeof all)[0]];

    const done = replica.leadership.stepDown('maintenance');

    expect(replica.leadership.isLeader()).toBe(false);
    expect(worker.contexts[0]?.term?.isValid()).toBe(false);
    expect(worker.contexts[0]?.signal.aborted).toBe(true);
    await done;
    await stopAll(all);
  });

  test('resolves when the work has settled and another replica can lead, not before', async () => {
    const all = await replicas(2);
    const [first, second] = all as [(typeof all)[0], (typeof all)[0]];
    const settling = new Deferred<void>();
    first.worker.settling = settling.promise;
    let done = false;
    const stepping = first.replica.leadership.stepDown('maintenance', { cooldownMs: 1000 }).then(() => (done = true));

    await first.replica.clock.settle();
    expect([done, leaders(all)]).toEqual([false, []]);

    settling.resolve();
    await stepping;
    await first.replica.clock.settle();
    expect(leaders(all)).toEqual(['replica-1']);
    expect(second.worker.starts).toBe(1);
    await stopAll(all);
  });

  test('is a voluntary loss with the reason, and logged as a hand-over', async () => {
    const all = await replicas(1);
    const [{ replica }] = all as [(typeof all)[0]];

    await replica.leadership.stepDown('maintenance');

    expect(replica.losses).toMatchObject([{ voluntary: true }]);
    expect(replica.losses[0]?.reason).toBeInstanceOf(SteppedDownError);
    expect(replica.logger.matching(/^log Handing over election "default".*maintenance/)).toHaveLength(1);
    expect(replica.logger.matching(/^(warn|error)/)).toEqual([]);
    await stopAll(all);
  });

  test('keeps the replica out for the cooldown, also when nobody else is there', async () => {
    const all = await replicas(1);
    const [{ replica, worker }] = all as [(typeof all)[0]];

    await replica.leadership.stepDown('maintenance', { cooldownMs: 5000 });
    await replica.clock.advance(4999);
    expect(worker.starts).toBe(1);
    await replica.clock.advance(1);

    expect(replica.leadership.isLeader()).toBe(true);
    expect(worker.starts).toBe(2);
    await stopAll(all);
  });

  test('without a cooldown lets the replica stand again at once, behind those who wait', async () => {
    const all = await replicas(2);
    const [first] = all as [(typeof all)[0]];

    await first.replica.leadership.stepDown('maintenance');
    await first.replica.clock.settle();

    expect(leaders(all)).toEqual(['replica-1']);
    await all[1]?.replica.leadership.stepDown('maintenance');
    await first.replica.clock.settle();
    expect(leaders(all)).toEqual(['replica-0']);
    await stopAll(all);
  });

  test('does nothing while this replica does not lead', async () => {
    const all = await replicas(2);

    await all[1]?.replica.leadership.stepDown('maintenance', { cooldownMs: 5000 });
    await all[0]?.replica.leadership.stop();
    await all[0]?.replica.clock.settle();

    expect(leaders(all)).toEqual(['replica-1']);
    await stopAll(all);
  });

  test('does nothing during a cooldown: it makes it no longer', async () => {
    const all = await replicas(1);
    const [{ replica }] = all as [(typeof all)[0]];
    await replica.leadership.stepDown('maintenance', { cooldownMs: 1000 });

    await replica.leadership.stepDown('again', { cooldownMs: 60_000 });
    await replica.clock.advance(1000);

    expect(replica.leadership.isLeader()).toBe(true);
    await stopAll(all);
  });

  test('twice waits for the one release, publishes one loss, and the longer cooldown counts', async () => {
    const all = await replicas(1);
    const [{ replica, worker }] = all as [(typeof all)[0]];
    const settling = new Deferred<void>();
    worker.settling = settling.promise;
    let secondDone = false;

    const first = replica.leadership.stepDown('one', { cooldownMs: 1000 });
    const second = replica.leadership.stepDown('two', { cooldownMs: 3000 }).then(() => (secondDone = true));
    await replica.clock.settle();
    expect(secondDone).toBe(false);
    settling.resolve();
    await Promise.all([first, second]);

    expect(replica.terms).toEqual(['+1', '-1']);
    await replica.clock.advance(2999);
    expect(replica.leadership.isLeader()).toBe(false);
    await replica.clock.advance(1);
    expect(replica.leadership.isLeader()).toBe(true);
    await stopAll(all);
  });

  test('together with stop() is one loss and no further term', async () => {
    const all = await replicas(1);
    const [{ replica, worker }] = all as [(typeof all)[0]];

    await Promise.all([replica.leadership.stepDown('maintenance'), replica.leadership.stop()]);
    await replica.clock.advance(60_000);

    expect(replica.terms).toEqual(['+1', '-1']);
    expect([worker.starts, replica.clock.pending]).toEqual([1, 0]);
  });

  test('is cut short in its cooldown by stop()', async () => {
    const all = await replicas(1);
    const [{ replica }] = all as [(typeof all)[0]];
    await replica.leadership.stepDown('maintenance', { cooldownMs: 60_000 });

    await replica.leadership.stop();

    expect(replica.clock.pending).toBe(0);
  });

  test('during the start stops what starts, and starts nothing more', async () => {
    const replica = new Replica({ elector: new MemoryElector(new MemoryElectionHub()) });
    replica.registry.register(
      { name: 'slow', start: ({ signal }) => aborted(signal), stop: () => undefined },
      { leaderOnly: true },
    );
    const dependent = leaderOnly(replica, { dependsOn: ['slow'] });
    await replica.boot();
    expect(replica.statusOf('slow')).toBe('starting');

    await replica.leadership.stepDown('maintenance', { cooldownMs: 1000 });

    expect([replica.statusOf('slow'), dependent.starts]).toEqual(['standby', 0]);
    expect(replica.terms).toEqual(['+1', '-1']);
    await replica.leadership.stop();
  });

  test('by the work itself resolves at once, where it would wait for its own end', async () => {
    const replica = new Replica({ elector: new MemoryElector(new MemoryElectionHub()) });
    const done: string[] = [];
    replica.registry.register(
      {
        name: 'one-shot',
        start: async () => {
          await replica.leadership.stepDown('all is done', { cooldownMs: 60_000 });
          done.push('went on');
        },
      },
      { leaderOnly: true },
    );
    await replica.boot();

    expect(done).toEqual(['went on']);
    expect(replica.statusOf('one-shot')).toBe('standby');
    expect(replica.terms).toEqual(['+1', '-1']);
    await replica.leadership.stop();
  });

  test('rejects for an election that nobody stands for, with the names of the known ones', async () => {
    const replica = new Replica({ elector: new MemoryElector(new MemoryElectionHub()) });
    await replica.boot('orders', 'mails');

    const error = await replica.leadership.stepDown('x', { election: 'ordres' }).catch((it: unknown) => it);

    expect(error).toBeInstanceOf(UnknownElectionError);
    expect(String(error)).toContain('it does for: "orders", "mails"');
    await replica.leadership.stop();
  });

  test.each([-1, Number.NaN, '5s'])('rejects a cooldown of %p', async (cooldownMs) => {
    const all = await replicas(1);
    const [{ replica }] = all as [(typeof all)[0]];

    const stepping = replica.leadership.stepDown('x', { cooldownMs: cooldownMs as number });

    await expect(stepping).rejects.toThrow(InvalidOptionError);
    expect(replica.leadership.isLeader()).toBe(true);
    await stopAll(all);
  });
});
