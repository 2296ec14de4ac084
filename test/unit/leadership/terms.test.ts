import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../lib/core/deferred.js';
import { LifecycleEvent } from '../../../lib/core/lifecycle-events.js';
import { ManualElector } from '../../../lib/testing/manual-elector.js';
import { aborted, leaderOnly, Replica, ScriptedElector, Worker } from './leadership-fixtures.js';

/** A run that does not settle until the test says so. */
function slowWorker(): { worker: Worker; settle: () => void } {
  const worker = new Worker();
  const settling = new Deferred<void>();
  worker.settling = settling.promise;
  return { worker, settle: () => settling.resolve() };
}

describe('gained and lost', () => {
  test('alternate over three terms, and each starts the component once', async () => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    await replica.boot();

    for (let term = 0; term < 3; term++) {
      await elector.elect();
      await replica.clock.settle();
      expect(replica.statusOf('worker')).toBe('running');
      await elector.depose();
      expect(replica.statusOf('worker')).toBe('standby');
    }

    expect(replica.terms).toEqual(['+1', '-1', '+2', '-2', '+3', '-3']);
    expect(worker.starts).toBe(3);
    await replica.leadership.stop();
  });

  test('a gain, a loss and a gain in one tick leave the component running once', async () => {
    const elector = new ScriptedElector(async ({ candidate, signal }) => {
      const first = elector.term();
      const firstWork = candidate.onElected(first);
      first.end('at once');
      await firstWork;
      const second = elector.term();
      signal.addEventListener('abort', () => second.end('told to'));
      await candidate.onElected(second);
    });
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    await replica.boot();

    expect(replica.terms).toEqual(['+2']);
    expect(worker.contexts.map((it) => it.term?.fencingToken)).toEqual([2n]);
    expect(replica.statusOf('worker')).toBe('running');
    await replica.leadership.stop();
  });

  test('a term that is lost and won again before its work has settled starts the next run after it', async () => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    const { worker, settle } = slowWorker();
    leaderOnly(replica, { worker });
    await replica.boot();
    await elector.elect();
    await replica.clock.settle();

    void elector.depose();
    const second = elector.elect();
    await replica.clock.settle();
    expect(replica.terms).toEqual(['+1', '-1']);
    expect(worker.starts).toBe(1);

    settle();
    await second;
    await replica.clock.settle();
    expect(replica.terms).toEqual(['+1', '-1', '+2']);
    expect(worker.starts).toBe(2);
    expect(worker.maxRunning).toBe(1);
    await replica.leadership.stop();
  });

  test('a loss while a component starts stops it, and nothing that depends on it is started', async () => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    replica.registry.register(
      { name: 'first', start: ({ signal }) => aborted(signal), stop: () => undefined },
      { leaderOnly: true },
    );
    const second = leaderOnly(replica, { dependsOn: ['first'] });
    await replica.boot();
    await elector.elect();
    await replica.clock.settle();
    expect(replica.statusOf('first')).toBe('starting');

    await elector.depose();

    expect(replica.terms).toEqual(['+1', '-1']);
    expect(replica.statusOf('first')).toBe('standby');
    expect(second.starts).toBe(0);
    await replica.leadership.stop();
  });

  test('stop() during the start hands over and resolves after the work has settled', async () => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    const { worker, settle } = slowWorker();
    leaderOnly(replica, { worker });
    await replica.boot();
    void elector.elect();
    let stopped = false;
    const stopping = replica.clock.settle().then(() => replica.leadership.stop().then(() => (stopped = true)));
    await replica.clock.settle();
    await replica.clock.settle();

    expect(replica.leadership.isLeader()).toBe(false);
    expect(stopped).toBe(false);
    settle();
    await stopping;
    expect(replica.terms).toEqual(['+1', '-1']);
    expect(replica.losses[0]).toMatchObject({ voluntary: true });
  });

  test('stop() before any term ends the campaign, and no term is served any more', async () => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    await replica.boot();

    await replica.leadership.stop();
    await expect(elector.elect('default', 1)).rejects.toThrow(/does not stand for election/);

    expect(replica.terms).toEqual([]);
    expect(worker.starts).toBe(0);
    expect(replica.statusOf('worker')).toBe('standby');
  });

  test('stop() twice is one stop, and start() after it does nothing', async () => {
    const elector = new ScriptedElector(
      async ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    );
    const replica = await new Replica({ elector }).boot();

    const once = replica.leadership.stop();
    const twice = replica.leadership.stop();
    replica.leadership.start(['default', 'other']);
    await Promise.all([once, twice]);

    expect(elector.calls).toHaveLength(1);
  });

  test('stop() before start() campaigns never', async () => {
    const elector = new ScriptedElector(async () => undefined);
    const replica = new Replica({ elector });

    await replica.leadership.stop();
    await replica.boot();

    expect(elector.calls).toHaveLength(0);
    expect(replica.leadership.isLeader()).toBe(false);
  });
});

describe('what the events say', () => {
  test('is true: isLeader() is true inside acquired, and false inside lost', async () => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    leaderOnly(replica);
    const said: string[] = [];
    for (const name of [LifecycleEvent.LeadershipAcquired, LifecycleEvent.LeadershipLost]) {
      replica.bus.emitter.on(name, () => said.push(`${name} ${replica.leadership.isLeader()}`));
    }
    await replica.boot();

    await elector.elect();
    await replica.clock.settle();
    await elector.depose();

    expect(said).toEqual(['lifecycle.leadership.acquired true', 'lifecycle.leadership.lost false']);
    await replica.leadership.stop();
  });

  test('lost is published before the work is told to stop, and the term has ended by then', async () => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    const order: string[] = [];
    worker.onStart = ({ signal }) => signal.addEventListener('abort', () => order.push('told to stop'));
    replica.bus.emitter.on(LifecycleEvent.LeadershipLost, () => {
      order.push(
        `lost, valid: ${worker.contexts[0]?.term?.isValid()}, aborted: ${worker.contexts[0]?.term?.signal.aborted}`,
      );
    });
    await replica.boot();
    await elector.elect();
    await replica.clock.settle();

    await elector.depose();

    expect(order).toEqual(['lost, valid: false, aborted: true', 'told to stop']);
    await replica.leadership.stop();
  });

  test('lost tells the reason, how long the term was, and that nobody here wanted it', async () => {
    const elector = new ManualElector();
    const replica = await new Replica({ elector }).boot();
    await elector.elect();
    await replica.clock.advance(1234);

    await elector.depose('the lease ran out');

    expect(replica.losses).toMatchObject([
      { election: 'default', identity: 'me', fencingToken: 1n, durationMs: 1234, voluntary: false },
    ]);
    expect(String(replica.losses[0]?.reason)).toContain('the lease ran out');
    expect(replica.logger.matching(/^warn Lost election "default"/)).toHaveLength(1);
    await replica.leadership.stop();
  });
});
