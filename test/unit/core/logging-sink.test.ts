import { describe, expect, it, jest } from '@jest/globals';
import type { ComponentStatusEvent } from '../../../lib/core/lifecycle-events.js';
import { guarded, type LifecycleLogger } from '../../../lib/core/logger.js';
import { LoggingSink } from '../../../lib/core/logging-sink.js';

const ComponentStatus = 'lifecycle.component.status';

const STATUS: ComponentStatusEvent = {
  name: 'feed',
  from: 'pending',
  to: 'starting',
  at: 0,
  durationMs: 12.4,
  leaderOnly: false,
  criticality: 'critical',
  restarts: 0,
};

function noting(): { lines: string[]; logger: LifecycleLogger } {
  const lines: string[] = [];
  const note = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  return { lines, logger: { log: note('log'), warn: note('warn'), error: note('error'), debug: note('debug') } };
}

describe('a logging sink', () => {
  it.each<[Partial<ComponentStatusEvent>, string]>([
    [{ to: 'starting' }, 'debug feed is starting'],
    [{ from: 'starting', to: 'running' }, 'log feed is running (ready after 12 ms)'],
    [{ from: 'running', to: 'stopping' }, 'debug feed is stopping'],
    [{ from: 'stopping', to: 'stopped' }, 'log feed stopped (took 12 ms)'],
    [{ from: 'running', to: 'stopped' }, 'log feed finished (ran for 12 ms)'],
    [{ to: 'standby', election: 'orders' }, 'log feed stands by (election "orders")'],
    [{ to: 'failed', error: new Error('boom') }, 'error feed failed, it stays down: boom'],
    [{ to: 'failed', error: 'boom', restartInMs: 99.6 }, 'error feed failed, it starts again in 100 ms: boom'],
  ])('writes one line for a status: %j', (event, line) => {
    const { lines, logger } = noting();
    new LoggingSink({ publish: () => undefined }, logger).publish(ComponentStatus, { ...STATUS, ...event });

    expect(lines).toEqual([line]);
  });

  it('writes leadership and health', () => {
    const { lines, logger } = noting();
    const sink = new LoggingSink({ publish: () => undefined }, logger);
    const term = { election: 'orders', identity: 'pod-1', fencingToken: 7n, at: 0 };
    sink.publish('lifecycle.leadership.acquired', term);
    sink.publish('lifecycle.leadership.lost', { ...term, durationMs: 5, reason: new Error('gone'), voluntary: false });
    sink.publish('lifecycle.leadership.observed', { election: 'orders', at: 0 });
    sink.publish('lifecycle.health.changed', { name: 'feed', healthy: false, error: new Error('stuck'), at: 0 });
    sink.publish('lifecycle.health.changed', { name: 'feed', healthy: true, at: 0 });

    expect(lines).toEqual([
      'log Leading election "orders" as pod-1, term 7',
      'warn Lost election "orders" after 5 ms, term 7: gone',
      'log Election "orders" is led by nobody',
      'warn feed is unhealthy: stuck',
      'log feed is healthy again',
    ]);
  });

  it('gives the stack of a failure, with those of its causes', () => {
    const error = jest.fn();
    const cause = new Error('root');
    const failure = new Error('boom', { cause });
    const sink = new LoggingSink({ publish: () => undefined }, { log: jest.fn(), warn: jest.fn(), error });
    sink.publish(ComponentStatus, { ...STATUS, to: 'failed', error: failure });

    expect(error).toHaveBeenCalledWith(
      'feed failed, it stays down: boom',
      `${failure.stack}\n  caused by: ${cause.stack}`,
    );
  });

  it('hands each event on, after it was logged, also when its error cannot be read', () => {
    const order: string[] = [];
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no');
        },
      },
    );
    const logger = { log: jest.fn(), warn: jest.fn(), error: () => order.push('logged') };
    const sink = new LoggingSink({ publish: () => order.push('published') }, logger);
    sink.publish(ComponentStatus, { ...STATUS, to: 'failed', error: hostile });

    expect(order).toEqual(['logged', 'published']);
  });

  it('pauses and starts its target, if that can be', () => {
    const target = { publish: jest.fn<() => void>(), pause: jest.fn<() => void>(), start: jest.fn<() => void>() };
    const sink = new LoggingSink(target, noting().logger);
    sink.pause();
    sink.start();
    const deaf = new LoggingSink({ publish: () => undefined }, noting().logger);

    expect(target.pause).toHaveBeenCalledTimes(1);
    expect(target.start).toHaveBeenCalledTimes(1);
    expect(() => [deaf.pause(), deaf.start()]).not.toThrow();
  });

  it('calls a target on itself', () => {
    class Target {
      readonly seen: string[] = [];
      publish(name: string): void {
        this.seen.push(name);
      }
    }
    const target = new Target();
    new LoggingSink(target, noting().logger).publish(ComponentStatus, STATUS);

    expect(target.seen).toEqual([ComponentStatus]);
  });
});

describe('a logger whose levels are off', () => {
  test.each([
    [{ to: 'running', from: 'starting' }, 'log'],
    [{ to: 'stopped', from: 'stopping' }, 'log'],
    [{ to: 'stopping', from: 'running' }, 'debug'],
    [{ to: 'failed', from: 'running', error: new Error('boom') }, 'error'],
  ] as const)('is not handed what it would drop: %j', (change, level) => {
    const lines: string[] = [];
    const note = (name: string) => () => void lines.push(name);
    const off = new Set<string>();
    const logger = {
      debug: note('debug'),
      log: note('log'),
      warn: note('warn'),
      error: note('error'),
      isLevelEnabled: (it: string) => !off.has(it),
    };
    const sink = new LoggingSink({ publish: () => undefined }, logger);
    const event = {
      name: 'feed',
      at: 0,
      durationMs: 1,
      leaderOnly: false,
      criticality: 'critical',
      restarts: 0,
    } as const;

    sink.publish('lifecycle.component.status', { ...event, ...change });
    off.add(level);
    sink.publish('lifecycle.component.status', { ...event, ...change });

    expect(lines).toEqual([level]);
  });

  test('gets all lines when it throws at the question', () => {
    const logger = guarded({
      log: () => undefined,
      warn: () => undefined,
      error: () => undefined,
      isLevelEnabled: () => {
        throw new Error('do not ask');
      },
    });

    expect(logger.isLevelEnabled('log')).toBe(true);
  });
});

describe('a guarded logger', () => {
  const fault = () => {
    throw new Error('the disk is full');
  };
  const rejecting = (() => Promise.reject(new Error('the disk is full'))) as never as () => void;

  it.each([
    ['throws', fault],
    ['rejects', rejecting],
  ])('says nothing of a logger that %s', async (_, log) => {
    const logger = guarded({ log, warn: log, error: log, debug: log });

    expect(() => [logger.log('a'), logger.warn('b'), logger.error('c', 'stack'), logger.debug?.('d')]).not.toThrow();
    await new Promise((resolve) => void setImmediate(resolve));
  });

  it('does without debug() where there is none', () => {
    const { log, warn, error } = noting().logger;

    expect(() => guarded({ log, warn, error }).debug?.('x')).not.toThrow();
  });
});
