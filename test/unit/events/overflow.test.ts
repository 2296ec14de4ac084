import { describe, expect, it } from '@jest/globals';
import { EventBus } from '../../../lib/events/event-bus.js';
import {
  acquired,
  ComponentStatus,
  LeadershipAcquired,
  LeadershipLost,
  LeadershipObserved,
  LogRecorder,
  lost,
  observed,
  recordAll,
  status,
  TimerStub,
  unread,
} from './event-fixtures.js';

function setUp(sizes: { bufferSize?: number; pauseBufferSize?: number }) {
  const logger = new LogRecorder();
  const clock = new TimerStub();
  return { bus: new EventBus({ ...sizes, logger, clock }), logger, clock };
}

describe('a full subscription', () => {
  it('drops its oldest event, counted and logged', async () => {
    const { bus, logger } = setUp({ bufferSize: 2 });
    const subscription = bus.subscribe('tick');

    for (const tick of [1, 2, 3, 4]) bus.publish('tick', tick);

    expect(subscription.dropped).toBe(2);
    expect(bus.dropped).toBe(2);
    expect(subscription.depth).toBe(2);
    expect(logger.warnings).toEqual([
      expect.stringContaining('1 x "tick" unread in a full subscription (read faster, or raise its buffer of 2)'),
    ]);
    await expect(unread(subscription)).resolves.toEqual([3, 4]);
  });

  it('takes nothing from another one', async () => {
    const { bus } = setUp({ bufferSize: 1 });
    const [small, large] = [bus.subscribe('tick'), bus.subscribe('tick', 10)];

    for (const tick of [1, 2, 3]) bus.publish('tick', tick);

    expect([small.dropped, large.dropped, bus.dropped]).toEqual([2, 0, 2]);
    await expect(unread(large)).resolves.toEqual([1, 2, 3]);
  });

  it('keeps the order over many events', async () => {
    const { bus } = setUp({});
    const subscription = bus.subscribe<number>('tick', 300);
    const read: number[] = [];
    for (let tick = 0; tick < 2000; tick++) {
      bus.publish('tick', tick);
      if (tick % 3 === 0) read.push(...(await unread(subscription)));
    }
    read.push(...(await unread(subscription)));

    expect(read).toEqual(Array.from({ length: 2000 }, (_, index) => index));
  });
});

describe('a full pause buffer', () => {
  it('drops its oldest event, counted and logged', () => {
    const { bus, logger } = setUp({ pauseBufferSize: 2 });
    const seen = recordAll(bus);

    bus.pause();
    for (const name of ['a', 'b', 'c']) bus.publish(ComponentStatus, status(name));
    expect(bus.depth).toBe(2);
    bus.start();

    expect(seen).toEqual(['status b', 'status c']);
    expect(bus.dropped).toBe(1);
    expect(logger.warnings).toEqual([
      expect.stringContaining('1 x "lifecycle.component.status" held back by a pause (raise pauseBufferSize, 2)'),
    ]);
  });

  it('never drops acquired or lost', () => {
    const { bus } = setUp({ pauseBufferSize: 1 });
    const seen = recordAll(bus);
    bus.publish(LeadershipAcquired, acquired(1n));

    bus.pause();
    bus.publish(LeadershipLost, lost(1n));
    bus.publish(ComponentStatus, status('a'));
    bus.publish(LeadershipAcquired, acquired(2n));
    bus.publish(ComponentStatus, status('b'));
    bus.start();

    expect(seen).toEqual(['acquired default#1', 'lost default#1', 'acquired default#2', 'status b']);
    expect(bus.dropped).toBe(1);
  });

  it('does not grow with terms that begin and end in it', () => {
    const { bus } = setUp({});

    bus.pause();
    for (let token = 1n; token <= 1000n; token++) {
      bus.publish(LeadershipAcquired, acquired(token));
      bus.publish(LeadershipLost, lost(token));
    }

    expect(bus.depth).toBe(0);
  });

  it('keeps the observed leader current even when its event had to go', () => {
    const { bus } = setUp({ pauseBufferSize: 1 });

    bus.pause();
    bus.publish(LeadershipObserved, observed('b'));
    bus.publish(ComponentStatus, status('a'));
    bus.start();

    expect(bus.current(LeadershipObserved)).toEqual([observed('b')]);
  });
});

describe('listeners that publish in a circle', () => {
  it('come to an end, counted and logged', () => {
    const { bus, logger } = setUp({});
    let calls = 0;
    bus.emitter.on('audit', () => {
      calls++;
      bus.publish('audit');
    });

    bus.publish('audit');

    expect(calls).toBe(100_001);
    expect(bus.dropped).toBe(1);
    expect(logger.warnings).toEqual([expect.stringContaining('1 x "audit" published by listeners in a circle')]);
  });

  it('lose no lost, and leave the bus as it was', () => {
    const { bus } = setUp({});
    const seen: string[] = [];
    bus.publish(LeadershipAcquired, acquired(1n));
    bus.emitter.on('audit', () => {
      bus.publish('audit');
      if (bus.dropped === 1) bus.publish(LeadershipLost, lost(1n));
    });
    bus.publish('audit');
    bus.emitter.on(ComponentStatus, () => seen.push('status'));
    bus.publish(ComponentStatus, status('a'));

    expect(bus.current(LeadershipLost)).toHaveLength(1);
    expect(seen).toEqual(['status']);
  });
});

describe('reports of drops', () => {
  it('come at most once in ten seconds, and leave none out', () => {
    const { bus, logger, clock } = setUp({ bufferSize: 1 });
    bus.subscribe('tick');
    bus.subscribe('tock');
    for (let i = 0; i < 5; i++) bus.publish('tick', i);
    for (let i = 0; i < 3; i++) bus.publish('tock', i);
    expect(logger.warnings).toHaveLength(1);

    clock.fire();
    expect(logger.warnings[1]).toMatch(/: 3 x "tick" .*; 2 x "tock" .*6 in all so far/);

    clock.fire();
    expect(logger.warnings).toHaveLength(2);
    expect(clock.pending.size).toBe(0);

    bus.publish('tick', 0);
    expect(logger.warnings).toHaveLength(3);
  });

  it('name few events, however many the app makes up', () => {
    const { bus, logger, clock } = setUp({ bufferSize: 1 });
    for (let i = 0; i < 20; i++) bus.subscribe(`order.${i}`);
    for (let i = 0; i < 20; i++) for (let n = 0; n < 2; n++) bus.publish(`order.${i}`, n);

    clock.fire();

    expect(logger.warnings[1]).toContain('; 14 others. 20 in all so far');
  });

  it('are complete at the close of the bus, which leaves no timer', () => {
    const { bus, logger, clock } = setUp({ bufferSize: 1 });
    bus.subscribe('tick');
    for (let i = 0; i < 4; i++) bus.publish('tick', i);

    bus.close();

    expect(logger.warnings[1]).toContain('2 x "tick"');
    expect(clock.pending.size).toBe(0);
  });

  it('cannot break a publish, even when the logger throws or publishes', () => {
    const clock = new TimerStub();
    const broken = (): never => {
      bus.publish('tick', 'from the logger');
      throw new Error('the log is full');
    };
    const bus: EventBus = new EventBus({ bufferSize: 1, clock, logger: { log: broken, warn: broken, error: broken } });
    bus.emitter.once('tick', broken);
    const subscription = bus.subscribe('other');

    bus.publish('other', 1);
    bus.publish('other', 2);

    expect(subscription.dropped).toBe(1);
  });
});
