import { describe, expect, test } from '@jest/globals';
import { SteppedDownError, UnknownElectionError } from '../../../lib/core/errors.js';
import { LifecycleEvent } from '../../../lib/core/lifecycle-events.js';
import { ManualElector } from '../../../lib/testing/manual-elector.js';
import { Replica } from './leadership-fixtures.js';

function standing(): { elector: ManualElector; replica: Replica } {
  const elector = new ManualElector();
  return { elector, replica: new Replica({ elector }) };
}

describe('whenLeader()', () => {
  test('resolves with the term as soon as the replica leads', async () => {
    const { elector, replica } = standing();
    await replica.boot();
    const waiting = replica.leadership.whenLeader();

    await elector.elect();

    expect((await waiting).fencingToken).toBe(1n);
    expect(replica.leadership.term()).toBe(await waiting);
    await replica.leadership.stop();
  });

  test('resolves at once while the replica leads', async () => {
    const { elector, replica } = standing();
    await replica.boot();
    await elector.elect();
    await replica.clock.settle();

    expect((await replica.leadership.whenLeader()).isValid()).toBe(true);
    await replica.leadership.stop();
  });

  test('waits for the next term once the replica has lost', async () => {
    const { elector, replica } = standing();
    await replica.boot();
    await elector.elect();
    await elector.depose();
    const waiting = replica.leadership.whenLeader();

    await elector.elect();

    expect((await waiting).fencingToken).toBe(2n);
    await replica.leadership.stop();
  });

  test('may be called before the campaigns have begun', async () => {
    const { elector, replica } = standing();
    const waiting = replica.leadership.whenLeader();
    await replica.boot();

    await elector.elect();

    expect((await waiting).fencingToken).toBe(1n);
    await replica.leadership.stop();
  });

  test('called early for an election that nobody stands for, rejects when that is known, and campaigns for nothing', async () => {
    const { replica } = standing();
    const waiting = replica.leadership.whenLeader('ordres').catch((error: unknown) => error);
    await replica.boot('orders');

    expect(await waiting).toBeInstanceOf(UnknownElectionError);
    expect(replica.leadership.elections().map((it) => it.election)).toEqual(['orders']);
    await replica.leadership.stop();
  });

  test('rejects with the reason of its signal, at once or later, before or after the boot', async () => {
    const { replica } = standing();
    const reason = new Error('no patience');
    await expect(replica.leadership.whenLeader('default', AbortSignal.abort(reason))).rejects.toBe(reason);

    for (const boot of [false, true]) {
      if (boot) await replica.boot();
      const control = new AbortController();
      const waiting = replica.leadership.whenLeader('default', control.signal);
      await replica.clock.settle();
      control.abort(reason);
      await expect(waiting).rejects.toBe(reason);
    }
    await replica.leadership.stop();
  });

  test.each(['before', 'after'])('rejects when the app stops, %s the boot', async (when) => {
    const { replica } = standing();
    if (when === 'after') await replica.boot();
    const waiting = replica.leadership.whenLeader().catch((error: unknown) => error);
    await replica.clock.settle();

    await replica.leadership.stop();

    expect(await waiting).toBeInstanceOf(SteppedDownError);
    await expect(replica.leadership.whenLeader()).rejects.toThrow(SteppedDownError);
  });
});

describe('isLeader(), term() and leader()', () => {
  test('tell of nobody before the boot and after the stop, whatever the election is called', async () => {
    const { elector, replica } = standing();
    const ask = () => [
      replica.leadership.isLeader('any'),
      replica.leadership.term('any'),
      replica.leadership.leader('any'),
    ];
    expect(ask()).toStrictEqual([false, undefined, undefined]);
    await replica.boot();
    await elector.elect();
    await replica.leadership.stop();

    expect(ask()).toStrictEqual([false, undefined, undefined]);
    expect(replica.leadership.isLeader()).toBe(false);
    expect(replica.leadership.leader()).toBeUndefined();
  });

  test('throw for an election that nobody stands for, with the names of the known ones', async () => {
    const { replica } = standing();
    await replica.boot('orders');

    for (const ask of ['isLeader', 'term', 'leader'] as const) {
      expect(() => replica.leadership[ask]()).toThrow(
        /does not stand for election "default" \(it does for: "orders"\)/,
      );
    }
    await replica.leadership.stop();
  });

  test('leader() follows what the elector observes, and observed is published once for each change', async () => {
    const { elector, replica } = standing();
    const observed: (string | undefined)[] = [];
    replica.bus.emitter.on(LifecycleEvent.LeadershipObserved, (event: { leader?: { identity: string } }) =>
      observed.push(event.leader?.identity),
    );
    await replica.boot();

    for (const since of [1, 2]) elector.observe({ identity: 'somebody', fencingToken: 7n, since });
    expect(replica.leadership.leader()).toEqual({ identity: 'somebody', fencingToken: 7n, since: 2 });
    elector.observe({ identity: 'somebody', fencingToken: 8n, since: 3 });
    elector.observe(undefined);

    expect(observed).toStrictEqual(['somebody', 'somebody', undefined]);
    await replica.leadership.stop();
  });
});
