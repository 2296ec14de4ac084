import { describe, expect, it } from '@jest/globals';
import { EventBus } from '../../../lib/events/event-bus.js';
import {
  acquired,
  ComponentStatus,
  LeadershipAcquired,
  LeadershipLost,
  lost,
  recordAll,
  status,
  unread,
} from './event-fixtures.js';

describe('a paused bus', () => {
  it('holds events back and replays them in order, then is live', () => {
    const bus = new EventBus();
    const seen = recordAll(bus);

    bus.pause();
    bus.publish(LeadershipAcquired, acquired(1n));
    bus.publish(ComponentStatus, status('a'));
    bus.publish(ComponentStatus, status('b'));
    expect(seen).toEqual([]);
    expect(bus.depth).toBe(3);

    bus.start();
    bus.publish(ComponentStatus, status('c'));
    expect(seen).toEqual(['acquired default#1', 'status a', 'status b', 'status c']);
    expect(bus.depth).toBe(0);
  });

  it('delivers acquired to a component that subscribes in its own start', async () => {
    const bus = new EventBus();
    bus.pause();
    bus.publish(LeadershipAcquired, acquired(1n));
    const subscription = bus.subscribe(LeadershipAcquired);
    bus.start();

    await expect(subscription.next()).resolves.toMatchObject({ value: { fencingToken: 1n } });
  });

  it('goes live with the last start of nested pauses', () => {
    const bus = new EventBus();
    const seen = recordAll(bus);

    bus.pause();
    bus.publish(LeadershipAcquired, acquired(1n, 'one'));
    bus.pause();
    bus.publish(LeadershipAcquired, acquired(1n, 'two'));
    bus.start();
    expect(seen).toEqual([]);

    bus.start();
    expect(seen).toEqual(['acquired one#1', 'acquired two#1']);
  });

  it('takes a start without a pause for nothing', () => {
    const bus = new EventBus();
    const seen = recordAll(bus);

    bus.start();
    bus.pause();
    bus.publish(ComponentStatus, status('a'));

    expect(seen).toEqual([]);
  });
});

describe('a term that ends while its acquired is held', () => {
  it('is not announced, while what lies between is', () => {
    const bus = new EventBus();
    const seen = recordAll(bus);

    bus.pause();
    bus.publish(LeadershipAcquired, acquired(1n));
    bus.publish(ComponentStatus, status('a'));
    bus.publish(LeadershipLost, lost(1n));
    bus.start();

    expect(seen).toEqual(['status a']);
    expect(bus.dropped).toBe(0);
    expect(bus.current(LeadershipAcquired)).toEqual([]);
  });

  it('leaves acquired and lost alternating when the term before it was announced', () => {
    const bus = new EventBus();
    const seen = recordAll(bus);
    bus.publish(LeadershipAcquired, acquired(1n));

    bus.pause();
    bus.publish(LeadershipLost, lost(1n));
    bus.publish(LeadershipAcquired, acquired(2n));
    bus.publish(LeadershipLost, lost(2n));
    bus.publish(LeadershipAcquired, acquired(3n));
    bus.start();

    expect(seen).toEqual(['acquired default#1', 'lost default#1', 'acquired default#3']);
    expect(bus.current(LeadershipAcquired)).toEqual([acquired(3n)]);
    expect(bus.current(LeadershipLost)).toEqual([]);
  });

  it('is one of this election and this token', () => {
    const bus = new EventBus();
    const seen = recordAll(bus);

    bus.pause();
    bus.publish(LeadershipLost, lost(1n, 'one'));
    bus.publish(LeadershipAcquired, acquired(2n, 'one'));
    bus.publish(LeadershipAcquired, acquired(1n, 'two'));
    bus.publish(LeadershipLost, lost(2n, 'three'));
    bus.start();

    expect(seen).toEqual(['lost one#1', 'acquired one#2', 'acquired two#1', 'lost three#2']);
  });

  it('is announced once its acquired is being handled', () => {
    const bus = new EventBus();
    bus.emitter.once(LeadershipAcquired, () => bus.publish(LeadershipLost, lost(1n)));
    const seen = recordAll(bus);

    bus.pause();
    bus.publish(LeadershipAcquired, acquired(1n));
    bus.start();

    expect(seen).toEqual(['acquired default#1', 'lost default#1']);
  });
});

describe('during a replay', () => {
  it('events that a listener publishes come after those that were held', () => {
    const bus = new EventBus();
    bus.emitter.once(ComponentStatus, () => bus.publish(ComponentStatus, status('new')));
    const seen = recordAll(bus);

    bus.pause();
    bus.publish(ComponentStatus, status('a'));
    bus.publish(ComponentStatus, status('b'));
    bus.start();

    expect(seen).toEqual(['status a', 'status b', 'status new']);
  });

  it('a pause stops it after the event in hand, and keeps the rest', () => {
    const bus = new EventBus();
    bus.emitter.once(ComponentStatus, () => bus.pause());
    const seen = recordAll(bus);

    bus.pause();
    for (const name of ['a', 'b', 'c']) bus.publish(ComponentStatus, status(name));
    bus.start();
    expect(seen).toEqual(['status a']);
    expect(bus.depth).toBe(2);

    bus.publish(ComponentStatus, status('d'));
    bus.start();
    expect(seen).toEqual(['status a', 'status b', 'status c', 'status d']);
  });

  it('a pause and its start within one listener change nothing', () => {
    const bus = new EventBus();
    bus.emitter.once(ComponentStatus, () => {
      bus.pause();
      bus.publish(ComponentStatus, status('inner'));
      bus.start();
    });
    const seen = recordAll(bus);

    bus.pause();
    for (const name of ['a', 'b']) bus.publish(ComponentStatus, status(name));
    bus.start();

    expect(seen).toEqual(['status a', 'status b', 'status inner']);
  });

  it('a failing listener stops nothing', () => {
    const bus = new EventBus();
    bus.emitter.on(ComponentStatus, () => {
      throw new Error('broken');
    });
    const seen = recordAll(bus);

    bus.pause();
    for (const name of ['a', 'b']) bus.publish(ComponentStatus, status(name));
    bus.start();

    expect(seen).toEqual(['status a', 'status b']);
  });

  it('a subscription that opens in a listener sees each event once', async () => {
    const bus = new EventBus();
    let late: ReturnType<typeof subscribe> | undefined;
    const subscribe = () => bus.subscribe(LeadershipAcquired, 10, { current: true });
    bus.emitter.once(LeadershipAcquired, () => (late = subscribe()));

    bus.pause();
    bus.publish(LeadershipAcquired, acquired(1n, 'one'));
    bus.publish(LeadershipAcquired, acquired(1n, 'two'));
    bus.start();

    expect(late && (await unread(late))).toEqual([acquired(1n, 'one'), acquired(1n, 'two')]);
  });
});
