import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { EventBus } from '../../../lib/events/event-bus.js';
import {
  acquired,
  ComponentStatus,
  HealthChanged,
  LeadershipAcquired,
  LeadershipLost,
  LeadershipObserved,
  lost,
  observed,
  status,
  unread,
} from './event-fixtures.js';

const DONE = { done: true, value: undefined };

describe('a subscription', () => {
  it('is live on return, however late it is read', async () => {
    const bus = new EventBus();
    const subscription = bus.subscribe(ComponentStatus);
    for (const name of ['a', 'b']) bus.publish(ComponentStatus, status(name));

    const names: string[] = [];
    for await (const { name } of subscription) {
      names.push(name);
      if (name === 'b') bus.publish(ComponentStatus, status('c'));
      if (name === 'c') break;
    }

    expect(names).toEqual(['a', 'b', 'c']);
  });

  it('answers reads in the order in which they were made', async () => {
    const bus = new EventBus();
    const subscription = bus.subscribe('tick');
    const reads = Promise.all([subscription.next(), subscription.next(), subscription.next()]);

    bus.publish('tick', 1);
    bus.publish('tick', 2);
    bus.publish('tick', 3);

    expect((await reads).map((it) => it.value)).toEqual([1, 2, 3]);
  });

  it('sees its own event only, and so does every other one', async () => {
    const bus = new EventBus();
    const [one, two, other] = [bus.subscribe('tick'), bus.subscribe('tick'), bus.subscribe('tock')];

    bus.publish('tick', 1);

    await expect(unread(one)).resolves.toEqual([1]);
    await expect(unread(two)).resolves.toEqual([1]);
    await expect(unread(other)).resolves.toEqual([]);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '8'])('rejects a buffer of %p', (buffer) => {
    const bus = new EventBus();

    expect(() => bus.subscribe('tick', buffer as number)).toThrow(
      /Option "buffer" in subscribe\("tick"\) is .*integer/,
    );
    expect(() => new EventBus({ bufferSize: buffer as number })).toThrow(/Option "bufferSize" in EventBus/);
    expect(() => new EventBus({ pauseBufferSize: buffer as number })).toThrow(/Option "pauseBufferSize" in EventBus/);
    expect(bus.subscriptions).toBe(0);
  });
});

describe('the end of a subscription', () => {
  it('comes when its signal aborts, without an error', async () => {
    const bus = new EventBus();
    const ending = new AbortController();
    const subscription = bus.subscribe(ComponentStatus, 10, { signal: ending.signal });
    const loop = (async () => {
      for await (const { name } of subscription) expect(name).toBe('a');
      return 'ended';
    })();
    bus.publish(ComponentStatus, status('a'));

    ending.abort(new Error('the run must end'));

    await expect(loop).resolves.toBe('ended');
    expect(bus.subscriptions).toBe(0);
  });

  it('discards what is unread at the abort', async () => {
    const bus = new EventBus();
    const ending = new AbortController();
    const subscription = bus.subscribe(ComponentStatus, 10, { signal: ending.signal });
    bus.publish(ComponentStatus, status('a'));

    ending.abort();
    bus.publish(ComponentStatus, status('b'));

    expect(subscription.depth).toBe(0);
    await expect(subscription.next()).resolves.toEqual(DONE);
    expect(bus.dropped).toBe(0);
  });

  it('is there at once when the signal has aborted before', async () => {
    const bus = new EventBus();
    bus.publish(LeadershipAcquired, acquired(1n));

    const subscription = bus.subscribe(LeadershipAcquired, 10, { signal: AbortSignal.abort(), current: true });

    await expect(subscription.next()).resolves.toEqual(DONE);
    expect(bus.subscriptions).toBe(0);
  });

  it('comes with a break', async () => {
    const bus = new EventBus();
    bus.publish(ComponentStatus, status('before'));
    const subscription = bus.subscribe(ComponentStatus);
    bus.publish(ComponentStatus, status('a'));

    for await (const { name } of subscription) {
      expect(name).toBe('a');
      break;
    }

    expect(bus.subscriptions).toBe(0);
    await expect(subscription.next()).resolves.toEqual(DONE);
  });

  it('comes with an error in the loop', async () => {
    const bus = new EventBus();
    const subscription = bus.subscribe('tick');
    bus.publish('tick', 1);

    const loop = (async () => {
      for await (const _ of subscription) throw new Error('the work failed');
    })();

    await expect(loop).rejects.toThrow('the work failed');
    expect(bus.subscriptions).toBe(0);
  });

  it('comes with return(), twice as well, and answers reads that wait', async () => {
    const bus = new EventBus();
    const subscription = bus.subscribe('tick');
    const read = subscription.next();

    await expect(subscription.return()).resolves.toEqual(DONE);
    await expect(subscription.return()).resolves.toEqual(DONE);

    await expect(read).resolves.toEqual(DONE);
    expect(bus.subscriptions).toBe(0);
  });

  it.each<[string, (bus: EventBus, subscription: AsyncIterator<unknown>) => void]>([
    ['return()', (_bus, subscription) => void subscription.return?.()],
    ['the close of the bus', (bus) => bus.close()],
  ])('by %s leaves no listener on the signal', (_how, end) => {
    const bus = new EventBus();
    const { signal } = new AbortController();
    const listenerCount = () => getEventListeners(signal, 'abort').length;
    const subscription = bus.subscribe('tick', 1, { signal });
    expect(listenerCount()).toBe(1);

    end(bus, subscription);

    expect(listenerCount()).toBe(0);
  });

  it('by the close of the bus still ends reading when the signal aborts', async () => {
    const bus = new EventBus();
    const ending = new AbortController();
    const subscription = bus.subscribe('tick', 10, { signal: ending.signal });
    bus.publish('tick', 1);
    bus.close();

    ending.abort();

    await expect(subscription.next()).resolves.toEqual(DONE);
  });
});

describe('a late subscriber', () => {
  it('gets the current leadership of every election first, when it asks for it', async () => {
    const bus = new EventBus();
    bus.publish(LeadershipAcquired, acquired(1n, 'one'));
    bus.publish(LeadershipAcquired, acquired(5n, 'two'));
    const late = bus.subscribe(LeadershipAcquired, 10, { current: true });
    const plain = bus.subscribe(LeadershipAcquired);
    bus.publish(LeadershipAcquired, acquired(1n, 'three'));

    await expect(unread(late)).resolves.toEqual([acquired(1n, 'one'), acquired(5n, 'two'), acquired(1n, 'three')]);
    await expect(unread(plain)).resolves.toEqual([acquired(1n, 'three')]);
  });

  it('gets acquired or lost, whichever is true now', async () => {
    const bus = new EventBus();
    bus.publish(LeadershipAcquired, acquired(1n));
    const gone = lost(1n);
    bus.publish(LeadershipLost, gone);

    await expect(unread(bus.subscribe(LeadershipAcquired, 10, { current: true }))).resolves.toEqual([]);
    await expect(unread(bus.subscribe(LeadershipLost, 10, { current: true }))).resolves.toEqual([gone]);

    bus.publish(LeadershipAcquired, acquired(2n));

    await expect(unread(bus.subscribe(LeadershipAcquired, 10, { current: true }))).resolves.toEqual([acquired(2n)]);
    await expect(unread(bus.subscribe(LeadershipLost, 10, { current: true }))).resolves.toEqual([]);
  });

  it('gets the leader that was observed last', async () => {
    const bus = new EventBus();
    bus.publish(LeadershipObserved, observed('a'));
    bus.publish(LeadershipObserved, observed('b'));

    await expect(unread(bus.subscribe(LeadershipObserved, 10, { current: true }))).resolves.toEqual([observed('b')]);
  });

  it('gets nothing twice while the bus is paused', async () => {
    const bus = new EventBus();
    bus.publish(LeadershipAcquired, acquired(1n, 'one'));
    bus.pause();
    bus.publish(LeadershipAcquired, acquired(1n, 'two'));
    const late = bus.subscribe(LeadershipAcquired, 10, { current: true });
    bus.start();

    await expect(unread(late)).resolves.toEqual([acquired(1n, 'one'), acquired(1n, 'two')]);
  });

  it('gets nothing of events that have no current state', async () => {
    const bus = new EventBus();
    bus.publish(ComponentStatus, status('a'));
    bus.publish(HealthChanged, { name: 'a', healthy: true, at: 1 });

    expect(bus.subscribe(ComponentStatus, 10, { current: true }).depth).toBe(0);
    expect(bus.subscribe(HealthChanged, 10, { current: true }).depth).toBe(0);
  });
});

describe('current', () => {
  it('tells a late listener what it has missed', () => {
    const bus = new EventBus();
    bus.publish(LeadershipAcquired, acquired(1n));
    bus.publish(LeadershipObserved, observed('me'));

    expect(bus.current(LeadershipAcquired)).toEqual([acquired(1n)]);
    expect(bus.current(LeadershipLost)).toEqual([]);
    expect(bus.current(LeadershipObserved)).toEqual([observed('me')]);
  });

  it('includes the event that is being handled, and not what is held back', () => {
    const bus = new EventBus();
    const inside: unknown[] = [];
    bus.emitter.on(LeadershipAcquired, () => inside.push(bus.current(LeadershipAcquired)));

    bus.pause();
    bus.publish(LeadershipAcquired, acquired(1n));
    expect(bus.current(LeadershipAcquired)).toEqual([]);
    bus.start();

    expect(inside).toEqual([[acquired(1n)]]);
  });
});
