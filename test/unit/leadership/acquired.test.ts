import { describe, expect, test } from '@jest/globals';
import type { Component } from '../../../lib/core/component.js';
import { Deferred } from '../../../lib/core/deferred.js';
import { LifecycleEvent, type LeadershipAcquiredEvent } from '../../../lib/core/lifecycle-events.js';
import type { EventSubscription } from '../../../lib/events/event-subscription.js';
import { ManualElector } from '../../../lib/testing/manual-elector.js';
import { aborted, leaderOnly, Replica, ScriptedElector, TermWithDeadline } from './leadership-fixtures.js';

/** Subscribes in its own start, and is ready once it has. */
class Subscriber implements Component {
  readonly name = 'subscriber';
  readonly heard: string[] = [];
  readonly #ready = new Deferred<void>();
  /** What the start waits for before it subscribes. */
  before: Promise<void> = Promise.resolve();

  constructor(private readonly replica: Replica) {}

  subscriptionReady = (): Promise<void> => this.#ready.promise;

  async start({ signal }: { signal: AbortSignal }): Promise<void> {
    await this.before;
    const events: EventSubscription<LeadershipAcquiredEvent> = this.replica.bus.subscribe(
      LifecycleEvent.LeadershipAcquired,
      10,
      { signal },
    );
    this.replica.bus.emitter.on('orders.created', (id: string) => this.heard.push(`order ${id}`));
    this.#ready.resolve();
    for await (const event of events) this.heard.push(`acquired ${event.fencingToken}`);
  }
}

describe('the acquired event', () => {
  test('reaches a leader-only component that subscribes in its own start', async () => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    const subscriber = new Subscriber(replica);
    replica.registry.register(subscriber, { leaderOnly: true });
    await replica.boot();

    await elector.elect();
    await replica.clock.settle();

    expect(subscriber.heard).toEqual(['acquired 1']);
    await replica.leadership.stop();
  });

  test('is replayed before what was published after it, and not before the component is ready', async () => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    const subscriber = new Subscriber(replica);
    const gate = new Deferred<void>();
    subscriber.before = gate.promise;
    replica.registry.register(subscriber, { leaderOnly: true });
    const seen: string[] = [];
    replica.bus.emitter.onAny((name) => seen.push(String(name)));
    await replica.boot();
    await elector.elect();
    await replica.clock.settle();
    seen.length = 0;
    replica.bus.publish('orders.created', '1');
    expect(seen).toEqual([]);

    gate.resolve();
    await replica.clock.settle();
    replica.bus.publish('orders.created', '2');

    expect(seen.filter((it) => !it.includes('component'))).toEqual([
      LifecycleEvent.LeadershipAcquired,
      'orders.created',
      'orders.created',
    ]);
    expect(subscriber.heard).toContain('acquired 1');
    expect(subscriber.heard.filter((it) => it.startsWith('order'))).toEqual(['order 1', 'order 2']);
    await replica.leadership.stop();
  });

  test.each([
    ['throws', () => Promise.reject(new Error('broken'))],
    ['hangs', () => new Promise<void>(() => undefined)],
  ])('and all others go on when a component %s in its start', async (_, start) => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    replica.registry.register(
      { name: 'broken', start, stop: () => undefined },
      { leaderOnly: true, criticality: 'optional', startTimeoutMs: 3000 },
    );
    const heard: string[] = [];
    replica.bus.emitter.on(LifecycleEvent.LeadershipAcquired, () => heard.push('acquired'));
    await replica.boot();
    await elector.elect();

    await replica.clock.advance(3000);
    replica.bus.emitter.on('orders.created', () => heard.push('order'));
    replica.bus.publish('orders.created');

    expect(heard).toEqual(['acquired', 'order']);
    void replica.leadership.stop();
  });

  test('is never delivered together with the loss of the same term: a pair that is held back is dropped', async () => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    replica.registry.register(
      { name: 'slow', start: ({ signal }) => aborted(signal), stop: () => undefined },
      { leaderOnly: true },
    );
    const heard: string[] = [];
    replica.bus.emitter.onAny(
      (name) => String(name).includes('leadership.') && heard.push(String(name).split('.').at(-1) ?? ''),
    );
    await replica.boot();
    await elector.elect();
    await replica.clock.settle();
    heard.length = 0;

    await elector.depose();

    expect(replica.terms).toEqual(['+1', '-1']);
    expect(heard.filter((it) => it !== 'observed')).toEqual([]);
    await replica.leadership.stop();
  });

  test('may be answered by stepping down: lost follows it, and the work is stopped', async () => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    const worker = leaderOnly(replica);
    const heard: string[] = [];
    replica.bus.emitter.on(LifecycleEvent.LeadershipAcquired, () => {
      heard.push('acquired');
      void replica.leadership.stepDown('not now', { cooldownMs: 1000 });
      heard.push('stepped down');
    });
    replica.bus.emitter.on(LifecycleEvent.LeadershipLost, () => heard.push('lost'));
    await replica.boot();

    await elector.elect();
    await replica.clock.settle();

    expect(heard).toEqual(['acquired', 'stepped down', 'lost']);
    expect([worker.starts, worker.running, replica.statusOf('worker')]).toEqual([1, 0, 'standby']);
    await replica.leadership.stop();
  });

  test('of a term whose deadline has passed while the components started is never delivered', async () => {
    const term = new TermWithDeadline();
    const elector = new ScriptedElector(async ({ candidate, signal }) => {
      void candidate.onElected(term);
      await aborted(signal);
    });
    const replica = new Replica({ elector });
    const gate = new Deferred<void>();
    replica.registry.register({ name: 'slow', start: () => gate.promise, stop: () => undefined }, { leaderOnly: true });
    const dependent = leaderOnly(replica, { dependsOn: ['slow'] });
    const heard: boolean[] = [];
    replica.bus.emitter.on(LifecycleEvent.LeadershipAcquired, () => heard.push(replica.leadership.isLeader()));
    await replica.boot();

    term.overdue = true;
    gate.resolve();
    await replica.clock.settle();

    expect([replica.terms, heard, dependent.starts]).toEqual([['+1', '-1'], [], 0]);
    await replica.leadership.stop();
  });
});

describe('pauses of two elections', () => {
  test('nest: events flow when both have started, and each acquired is delivered', async () => {
    const elector = new ManualElector();
    const replica = new Replica({ elector });
    const gates = { orders: new Deferred<void>(), mails: new Deferred<void>() };
    for (const election of ['orders', 'mails'] as const) {
      replica.registry.register(
        { name: election, start: () => gates[election].promise, stop: () => undefined },
        { leaderOnly: true, election },
      );
    }
    const heard: string[] = [];
    replica.bus.emitter.on(LifecycleEvent.LeadershipAcquired, ({ election }: LeadershipAcquiredEvent) =>
      heard.push(election),
    );
    await replica.boot('orders', 'mails');
    await elector.elect('orders');
    await elector.elect('mails');
    await replica.clock.settle();

    gates.orders.resolve();
    await replica.clock.settle();
    expect(heard).toEqual([]);
    gates.mails.resolve();
    await replica.clock.settle();

    expect(heard).toEqual(['orders', 'mails']);
    await replica.leadership.stop();
  });
});
