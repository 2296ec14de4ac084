import { describe, expect, it } from '@jest/globals';
import { EventBus } from '../../../lib/events/event-bus.js';
import {
  acquired,
  ComponentStatus,
  HealthChanged,
  LeadershipAcquired,
  recordAll,
  status,
  unread,
} from './event-fixtures.js';

describe('publish', () => {
  it('reaches listeners before it returns', () => {
    const bus = new EventBus();
    const seen = recordAll(bus);

    bus.publish(ComponentStatus, status('a'));

    expect(seen).toEqual(['status a']);
  });

  it('fills subscriptions before it calls listeners', () => {
    const bus = new EventBus();
    const subscription = bus.subscribe(ComponentStatus);
    let depthInListener: number | undefined;
    bus.emitter.on(ComponentStatus, () => (depthInListener = subscription.depth));

    bus.publish(ComponentStatus, status('a'));

    expect(depthInListener).toBe(1);
  });

  it('takes events of the app, with any payload or none', async () => {
    const bus = new EventBus();
    const orders = bus.subscribe<{ id: number }>('order.created');
    const ticks = bus.subscribe('tick');

    bus.publish('order.created', { id: 1 });
    bus.publish('tick');

    await expect(unread(orders)).resolves.toEqual([{ id: 1 }]);
    await expect(unread(ticks)).resolves.toEqual([undefined]);
  });

  it('types the payloads of lifecycle events', () => {
    const bus = new EventBus();
    const computed: string = 'made.up';

    // @ts-expect-error a health event is not a status event
    bus.publish(HealthChanged, status('a'));
    // @ts-expect-error without its payload it is no event
    bus.publish(HealthChanged);
    bus.publish(computed, status('a'));
    bus.subscribe(LeadershipAcquired) satisfies AsyncIterable<{ fencingToken: bigint }>;
    // @ts-expect-error only elections have a current state
    bus.current(HealthChanged);

    expect(bus.dropped).toBe(0);
  });

  it.each([undefined, null, 'text', {}])('treats leadership events with the payload %p like any other', (payload) => {
    const bus = new EventBus();
    const untyped: { publish(name: string, payload: unknown): void } = bus;
    let seen: unknown = 'nothing';
    bus.emitter.on(LeadershipAcquired, (value: unknown) => (seen = value));

    bus.pause();
    untyped.publish(LeadershipAcquired, payload);
    bus.start();

    expect(seen).toEqual(payload);
    expect(bus.current(LeadershipAcquired)).toEqual([]);
  });

  it('gives every listener the same order, whatever listeners publish meanwhile', () => {
    const bus = new EventBus();
    bus.emitter.on(ComponentStatus, ({ name }: { name: string }) => {
      if (name === 'a') bus.publish(ComponentStatus, status('b'));
    });
    const seen = recordAll(bus);
    const later: string[] = [];
    bus.emitter.on(ComponentStatus, ({ name }: { name: string }) => later.push(name));

    bus.publish(ComponentStatus, status('a'));

    expect(seen).toEqual(['status a', 'status b']);
    expect(later).toEqual(['a', 'b']);
  });

  it('does not reach another bus', () => {
    const [one, other] = [new EventBus(), new EventBus()];
    const seen = recordAll(other);
    const subscription = other.subscribe(LeadershipAcquired);

    one.publish(LeadershipAcquired, acquired(1n));

    expect(seen).toEqual([]);
    expect(subscription.depth).toBe(0);
    expect(other.current(LeadershipAcquired)).toEqual([]);
  });
});

describe('close', () => {
  it('ends all subscriptions, and lets what is unread be read', async () => {
    const bus = new EventBus();
    const subscription = bus.subscribe(ComponentStatus);
    const waiting = bus.subscribe(HealthChanged).next();
    bus.publish(ComponentStatus, status('last'));

    bus.close();

    const names: string[] = [];
    for await (const { name } of subscription) names.push(name);
    expect(names).toEqual(['last']);
    await expect(waiting).resolves.toEqual({ done: true, value: undefined });
    expect(bus.subscriptions).toBe(0);
  });

  it('delivers what a pause holds back', () => {
    const bus = new EventBus();
    const seen = recordAll(bus);
    bus.pause();
    bus.publish(ComponentStatus, status('held'));

    bus.close();

    expect(seen).toEqual(['status held']);
  });

  it('in a listener ends the subscriptions after what was published before it', async () => {
    const bus = new EventBus();
    const subscription = bus.subscribe(ComponentStatus);
    bus.emitter.once(ComponentStatus, () => {
      bus.publish(ComponentStatus, status('b'));
      bus.close();
      bus.publish(ComponentStatus, status('too late'));
    });

    bus.publish(ComponentStatus, status('a'));

    const names: string[] = [];
    for await (const { name } of subscription) names.push(name);
    expect(names).toEqual(['a', 'b']);
  });

  it('makes everything after it do nothing', async () => {
    const bus = new EventBus();
    const seen = recordAll(bus);
    bus.publish(LeadershipAcquired, acquired(1n));
    bus.close();
    bus.close();

    bus.pause();
    bus.publish(ComponentStatus, status('late'));
    bus.start();
    const { signal } = new AbortController();
    const subscription = bus.subscribe(LeadershipAcquired, 1, { signal, current: true });

    expect(seen).toEqual(['acquired default#1']);
    expect(bus.depth).toBe(0);
    await expect(subscription.next()).resolves.toEqual({ done: true, value: undefined });
  });
});
