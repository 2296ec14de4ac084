import { Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { describe, expect, it } from '@jest/globals';
import { EventBus } from '../../../lib/events/event-bus.js';
import { ComponentStatus, LeadershipAcquired, LogRecorder, acquired, recordAll, status } from './event-fixtures.js';

const publishTo = (emitter: EventEmitter2) => new EventBus({ emitter }).publish(ComponentStatus, status('a'));

/** Resolves when everything that was queued before has run: promise reactions first, then setImmediate. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the emitter', () => {
  it('is the one that was given, else one of its own with wildcards', () => {
    const emitter = new EventEmitter2();
    const own = new EventBus();
    const seen: unknown[] = [];
    own.emitter.on('lifecycle.**', (event: unknown) => seen.push(event));

    own.publish(ComponentStatus, status('a'));

    expect(new EventBus({ emitter }).emitter).toBe(emitter);
    expect(own.emitter).toBe(own.emitter);
    expect(seen).toEqual([status('a')]);
  });

  it('that is attached later is served too, once, and earlier listeners stay', () => {
    const bus = new EventBus();
    const early = recordAll(bus);
    const emitter = new EventEmitter2();
    let calls = 0;
    emitter.on(ComponentStatus, () => calls++);

    bus.attach(emitter);
    bus.attach(emitter);
    bus.publish(ComponentStatus, status('a'));

    expect(bus.emitter).toBe(emitter);
    expect(early).toEqual(['status a']);
    expect(calls).toBe(1);
  });

  it('gets no listener of the bus', () => {
    const emitter = new EventEmitter2({ newListener: true });
    let added = 0;
    emitter.on('newListener', () => added++);
    const bus = new EventBus({ emitter });
    bus.subscribe(ComponentStatus);
    bus.close();

    expect(added).toBe(0);
    expect(emitter.eventNames()).toEqual(['newListener']);
  });

  it('may be a stub with nothing but an emit, which may throw', () => {
    const logger = new LogRecorder();
    const emitted: unknown[] = [];
    const stub = { emit: (...args: unknown[]) => emitted.push(args) } as unknown as EventEmitter2;
    const broken = {
      emit: () => {
        throw new Error('stubbed');
      },
    } as unknown as EventEmitter2;
    const bus = new EventBus({ emitter: broken, logger });
    bus.attach(stub);

    bus.publish('tick', 1);

    expect(emitted).toEqual([['tick', 1]]);
    expect(logger.errors).toHaveLength(1);
  });
});

describe('listeners are called as emit() calls them', () => {
  it.each([{}, { wildcard: true }, { wildcard: true, delimiter: ':' }])('on an emitter with %p', (options) => {
    const calls = (act: (emitter: EventEmitter2) => void): unknown[] => {
      const emitter = new EventEmitter2(options);
      const seen: unknown[] = [];
      const record = (label: string) =>
        function (this: EventEmitter2 & { event: string }, ...args: unknown[]) {
          seen.push([label, this === emitter, this.event, ...args]);
        };
      emitter.on(ComponentStatus, record('on'));
      emitter.once(ComponentStatus, record('once'));
      emitter.many(ComponentStatus, 2, record('many'));
      emitter.prependListener(ComponentStatus, record('prepended'));
      emitter.onAny(record('any'));
      if (options.wildcard) emitter.on('**', record('wildcard'));
      emitter.on('lifecycle.other', record('never'));
      for (let i = 0; i < 3; i++) act(emitter);
      return seen;
    };
    const payload = status('a');
    const emitted = calls((emitter) => emitter.emit(ComponentStatus, payload));

    // One bus for all three, as in an app.
    let bus: EventBus | undefined;
    const published = calls((emitter) => (bus ??= new EventBus({ emitter })).publish(ComponentStatus, payload));

    expect(published).toEqual(emitted);
    expect(published).toHaveLength(options.wildcard ? 15 : 12);
  });

  it('when a listener adds or removes others meanwhile', () => {
    const emitter = new EventEmitter2();
    const seen: string[] = [];
    const second = () => seen.push('second');
    emitter.on(ComponentStatus, () => {
      emitter.off(ComponentStatus, second);
      emitter.on(ComponentStatus, () => seen.push('added'));
    });
    emitter.on(ComponentStatus, second);

    publishTo(emitter);

    expect(seen).toEqual(['second']);
    expect(emitter.listenerCount(ComponentStatus)).toBe(2);
  });

  it('by name and by segment when wildcards have another delimiter, each once', () => {
    const emitter = new EventEmitter2({ wildcard: true, delimiter: ':' });
    const seen: string[] = [];
    for (const pattern of [ComponentStatus, 'lifecycle:**', 'lifecycle:component:*', '**', 'lifecycle:leadership:*']) {
      emitter.on(pattern, () => seen.push(pattern));
    }

    publishTo(emitter);

    expect(seen.toSorted()).toEqual([ComponentStatus, '**', 'lifecycle:**', 'lifecycle:component:*'].toSorted());
  });

  it('but an "error" that nobody listens to is no error', () => {
    const logger = new LogRecorder();
    const bus = new EventBus({ emitter: new EventEmitter2({ ignoreErrors: false }), logger });

    bus.publish('error', new Error('nobody cares'));

    expect(logger.errors).toEqual([]);
  });
});

describe('a listener that fails', () => {
  it('by throwing is logged with its stack, and the others are served', () => {
    const emitter = new EventEmitter2();
    const logger = new LogRecorder();
    const bus = new EventBus({ emitter, logger });
    const fault = new Error('listener is broken');
    const throwing = () => {
      throw fault;
    };
    const seen: string[] = [];
    emitter.onAny(throwing);
    emitter.onAny(() => seen.push('any'));
    emitter.on(ComponentStatus, throwing);
    emitter.once(ComponentStatus, throwing);
    emitter.on(ComponentStatus, () => seen.push('on'));
    const subscription = bus.subscribe(ComponentStatus);

    bus.publish(ComponentStatus, status('a'));

    expect(seen).toEqual(['any', 'on']);
    expect(subscription.depth).toBe(1);
    expect(logger.errors).toHaveLength(3);
    expect(logger.errors[0]).toEqual({
      message: expect.stringMatching(/"lifecycle\.component\.status".*listener is broken/),
      stack: fault.stack,
    });
  });

  it('by rejecting is logged with its stack, and is no unhandled rejection', async () => {
    const emitter = new EventEmitter2();
    const logger = new LogRecorder();
    const fault = new Error('listener is broken');
    const rejecting = (reason: unknown) => (): unknown => Promise.reject(reason);
    emitter.on(ComponentStatus, rejecting(fault));
    emitter.on(ComponentStatus, rejecting('text'), { promisify: true });

    new EventBus({ emitter, logger }).publish(ComponentStatus, status('a'));
    await settled();
    await settled();

    expect(logger.errors).toEqual([
      { message: expect.stringContaining('listener is broken'), stack: fault.stack },
      { message: expect.stringContaining('text'), stack: undefined },
    ]);
  });

  it.each([
    [
      'a thenable that rejects',
      { then: (_: unknown, reject: (error: unknown) => void) => reject(new Error('broken')) },
    ],
    [
      'a thenable that throws',
      {
        then: () => {
          throw new Error('broken');
        },
      },
    ],
    [
      'something whose then cannot be read',
      {
        get then() {
          throw new Error('broken');
        },
      },
    ],
  ])('by returning %s is logged', async (_what, result) => {
    const emitter = new EventEmitter2();
    const logger = new LogRecorder();
    emitter.on(ComponentStatus, () => result as unknown as void);

    new EventBus({ emitter, logger }).publish(ComponentStatus, status('a'));
    await settled();

    expect(logger.errors).toEqual([expect.objectContaining({ message: expect.stringContaining('broken') })]);
  });

  it('leaves publish without a throw when there is no logger', () => {
    const emitter = new EventEmitter2();
    emitter.on(ComponentStatus, () => {
      throw null;
    });

    expect(() => publishTo(emitter)).not.toThrow();
  });
});

describe('@OnEvent handlers of an app', () => {
  const seen: string[] = [];

  @Injectable()
  class Handlers implements OnApplicationBootstrap {
    constructor(private readonly emitter: EventEmitter2) {}

    onApplicationBootstrap(): void {
      // Plain listeners that come before those of the decorators.
      this.emitter.prependListener(LeadershipAcquired, () => {
        throw new Error('a plain listener throws');
      });
    }

    @OnEvent(LeadershipAcquired, { suppressErrors: false })
    rejects(): Promise<void> {
      return Promise.reject(new Error('a handler rejects'));
    }

    @OnEvent(LeadershipAcquired)
    works(event: { fencingToken: bigint }): void {
      seen.push(`exact ${event.fencingToken}`);
    }

    @OnEvent('lifecycle.**')
    all(event: { fencingToken: bigint }): void {
      seen.push(`wildcard ${event.fencingToken}`);
    }
  }

  @Module({ imports: [EventEmitterModule.forRoot({ wildcard: true })], providers: [Handlers] })
  class AppModule {}

  it('are served behind a listener that throws, and may reject', async () => {
    const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
    const logger = new LogRecorder();
    const bus = new EventBus({ emitter: app.get(EventEmitter2), logger });

    bus.publish(LeadershipAcquired, acquired(7n));
    await settled();
    await app.close();

    expect(seen).toEqual(['exact 7', 'wildcard 7']);
    expect(logger.errors.map((it) => it.message)).toEqual([
      expect.stringContaining('a plain listener throws'),
      expect.stringContaining('a handler rejects'),
    ]);
  });
});
