import { setTimeout as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../lib/core/deferred.js';
import type { LeadershipTerm } from '../../../lib/core/elector.js';
import { LifecycleEvent } from '../../../lib/core/lifecycle-events.js';
import { ManualElector } from '../../../lib/testing/manual-elector.js';
import { lead, leaderOnly, Replica, ScriptedElector, Worker } from './leadership-fixtures.js';

function standing(): { elector: ManualElector; replica: Replica } {
  const elector = new ManualElector();
  return { elector, replica: new Replica({ elector }) };
}

describe('current()', () => {
  const DEPTHS = 5;

  /** A replica that leads, and what `current()` said in the run at several asynchronous depths. */
  async function asked(): Promise<{ replica: Replica; worker: Worker; inside: (LeadershipTerm | undefined)[] }> {
    const { elector, replica } = standing();
    const inside: (LeadershipTerm | undefined)[] = [];
    const worker = leaderOnly(replica);
    const all = new Deferred<void>();
    const ask = () => {
      if (inside.push(replica.leadership.current()) === DEPTHS) all.resolve();
    };
    worker.onStart = () => {
      ask();
      process.nextTick(ask);
      setImmediate(ask);
      void turn(0).then(ask);
      queueMicrotask(() => void Promise.resolve().then(ask));
    };
    await replica.boot();
    await elector.elect();
    await all.promise;
    return { replica, worker, inside };
  }

  test('is the term in the run at any asynchronous depth', async () => {
    const { replica, worker, inside } = await asked();

    expect(inside).toHaveLength(DEPTHS);
    expect(new Set(inside)).toEqual(new Set([worker.contexts[0]?.term]));
    await replica.leadership.stop();
  });

  test('is undefined outside of runs, while the replica leads', async () => {
    const { replica } = await asked();

    expect(replica.leadership.isLeader()).toBe(true);
    expect(replica.leadership.current()).toBeUndefined();
    await replica.leadership.stop();
  });

  test('is undefined in components that run on every replica, also in one that a leader-only one registered', async () => {
    const { elector, replica } = standing();
    const worker = leaderOnly(replica);
    const seen: unknown[] = [];
    const everywhere = (name: string) => ({
      name,
      start: () => void seen.push(replica.leadership.current()),
      stop: () => undefined,
    });
    replica.registry.register(everywhere('early'));
    worker.onStart = () => replica.registry.register(everywhere('late'));
    await replica.boot();
    await elector.elect();
    await replica.clock.settle();

    expect(seen).toStrictEqual([undefined, undefined]);
    await replica.leadership.stop();
  });

  test('is undefined for those who hear of a term of an election that the run has brought about', async () => {
    const elector: ScriptedElector = new ScriptedElector((call) => lead(call, elector.term(call.election)));
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    worker.onStart = () => void leaderOnly(replica, { worker: new Worker('other'), election: 'other' });
    const heard: unknown[] = [];
    replica.bus.emitter.on(LifecycleEvent.LeadershipAcquired, ({ election }: { election: string }) =>
      heard.push([election, replica.leadership.current()]),
    );
    await replica.boot();
    await replica.clock.settle();

    expect(heard).toStrictEqual([
      ['default', undefined],
      ['other', undefined],
    ]);
    await replica.leadership.stop();
  });

  test('is undefined for those who hear of the loss when the run itself steps down', async () => {
    const { elector, replica } = standing();
    const worker = leaderOnly(replica);
    const gate = new Deferred<void>();
    worker.onStart = () =>
      void gate.promise.then(() => {
        heard.push(replica.leadership.current()?.fencingToken);
        return replica.leadership.stepDown('done', { cooldownMs: 1000 });
      });
    const heard: unknown[] = [];
    replica.bus.emitter.on(LifecycleEvent.LeadershipLost, () => heard.push(replica.leadership.current()));
    await replica.boot();
    await elector.elect();
    await replica.clock.settle();
    gate.resolve();
    await replica.clock.settle();

    expect(heard).toStrictEqual([1n, undefined]);
    await replica.leadership.stop();
  });

  test('is the old term in code that a run left behind, and says that it has ended', async () => {
    const { elector, replica } = standing();
    const worker = leaderOnly(replica);
    const gate = new Deferred<void>();
    let found: LeadershipTerm | undefined;
    worker.onStart = () => {
      if (worker.starts === 1) void gate.promise.then(() => (found = replica.leadership.current()));
    };
    await replica.boot();
    await elector.elect();
    await replica.clock.settle();
    await elector.depose();
    await elector.elect();
    gate.resolve();
    await replica.clock.settle();

    expect(found?.fencingToken).toBe(1n);
    expect(() => found?.assertValid()).toThrow(/Term 1 .* has ended/);
    await replica.leadership.stop();
  });
});
