import { describe, expect, it, jest } from '@jest/globals';
import { errorFields } from '../../../lib/core/error-fields.js';
import type { LifecycleEventMap, LifecycleEventName } from '../../../lib/core/lifecycle-events.js';
import type { LogLine } from '../../../lib/core/log-line.js';
import { guarded, GuardedLogger, type LifecycleLogger } from '../../../lib/core/logger.js';
import { LoggingSink } from '../../../lib/core/logging-sink.js';
import { RateLimitedLog } from '../../../lib/core/rate-limited-log.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

type Written = readonly [level: string, line: string | LogLine, stack?: string | undefined];

function noting(fields = true) {
  const written: Written[] = [];
  const note = (level: string) => (line: string | LogLine, stack?: string) =>
    void written.push(stack === undefined ? [level, line] : [level, line, stack]);
  const target = { log: note('log'), warn: note('warn'), error: note('error'), debug: note('debug') };
  return { written, logger: new GuardedLogger(target, () => fields), target };
}

function write<K extends LifecycleEventName>(name: K, payload: LifecycleEventMap[K]): Written {
  const { written, logger } = noting();
  new LoggingSink({ publish: () => undefined }, logger).publish(name, payload);
  expect(written).toHaveLength(1);
  return written[0]!;
}

const STATUS = {
  name: 'feed',
  from: 'starting',
  to: 'running',
  at: 5,
  durationMs: 12.4,
  leaderOnly: false,
  criticality: 'critical',
  restarts: 0,
} as const;
const TERM = { election: 'orders', identity: 'pod-1', fencingToken: 2n ** 70n, at: 5 };

describe('fields', () => {
  it('of a status', () => {
    expect(write('lifecycle.component.status', STATUS)).toEqual([
      'log',
      {
        message: 'feed is running (ready after 12 ms)',
        event: 'lifecycle.component.status',
        component: 'feed',
        from: 'starting',
        to: 'running',
        durationMs: 12,
        criticality: 'critical',
        restarts: 0,
        at: 5,
      },
    ]);
  });

  it('of a failure, beside its stack', () => {
    const error = Object.assign(new TypeError('boom'), { code: 'EBOOM' });
    const failed = { ...STATUS, to: 'failed', election: 'orders', error, restartInMs: 99.6 } as const;
    expect(write('lifecycle.component.status', failed)).toEqual([
      'error',
      expect.objectContaining({
        message: 'feed failed, it starts again in 100 ms: boom',
        election: 'orders',
        error: { name: 'TypeError', message: 'boom', code: 'EBOOM' },
        restartInMs: 100,
      }),
      error.stack,
    ]);
  });

  it('of a term: a token that JSON can hold', () => {
    expect(write('lifecycle.leadership.acquired', TERM)).toEqual([
      'log',
      expect.objectContaining({ election: 'orders', identity: 'pod-1', fencingToken: '1180591620717411303424', at: 5 }),
    ]);
  });

  it('of a loss: a warning with its cause as error', () => {
    const lost = { ...TERM, durationMs: 7.4, reason: new Error('gone'), voluntary: false };
    const [level, line] = write('lifecycle.leadership.lost', lost);

    expect(level).toBe('warn');
    expect(line).toMatchObject({ durationMs: 7, voluntary: false, error: { name: 'Error', message: 'gone' } });
    expect(line).not.toHaveProperty('reason');
  });

  it('of a hand-over: no error', () => {
    const [level, line] = write('lifecycle.leadership.lost', {
      ...TERM,
      durationMs: 7,
      reason: 'bye',
      voluntary: true,
    });

    expect(level).toBe('log');
    expect(line).toMatchObject({ voluntary: true, reason: { name: 'string', message: 'bye' } });
    expect(line).not.toHaveProperty('error');
  });

  it('of who leads, and of health', () => {
    const leader = { identity: 'pod-2', fencingToken: 8n, since: 0 };
    expect(write('lifecycle.leadership.observed', { election: 'orders', leader, at: 5 })[1]).toMatchObject({
      leader: 'pod-2',
      fencingToken: '8',
    });
    expect(write('lifecycle.leadership.observed', { election: 'orders', at: 5 })[1]).not.toHaveProperty('leader');
    const sick = { name: 'feed', healthy: false, error: new Error('stuck'), at: 5 };
    expect(write('lifecycle.health.changed', sick)).toEqual([
      'warn',
      expect.objectContaining({ component: 'feed', healthy: false, error: { name: 'Error', message: 'stuck' } }),
    ]);
    expect(write('lifecycle.health.changed', { name: 'feed', healthy: true, at: 5 })[0]).toBe('log');
  });

  it('are not made where the level goes nowhere', () => {
    const { logger, written } = noting();
    const silent = Object.assign(logger, { isLevelEnabled: () => false });
    const payload = Object.defineProperty({ ...TERM }, 'identity', {
      get: () => {
        throw new Error('read');
      },
    });
    new LoggingSink({ publish: () => undefined }, silent).publish('lifecycle.leadership.acquired', payload);
    expect(written).toEqual([]);
  });

  it('are asked for at each line, and not had from a preference that throws', () => {
    const { target, written } = noting();
    const prefer = jest.fn<() => boolean>();
    const logger = new GuardedLogger(target, prefer);
    prefer.mockReturnValueOnce(false).mockReturnValueOnce(true);
    logger.log('a');
    logger.log('b');
    prefer.mockImplementation(() => {
      throw new Error('no');
    });
    logger.log('c');

    expect(written.map(([, line]) => line)).toEqual(['a', { message: 'b', event: 'lifecycle.message' }, 'c']);
  });
});

describe('a repeated warning', () => {
  const warnThrice = (fields: boolean) => {
    const { logger, written } = noting(fields);
    const clock = new ManualClock();
    const log = new RateLimitedLog(logger, clock);
    const line = { message: 'no answer', event: 'lifecycle.election.error', election: 'orders' };
    log.warn(line);
    log.warn(line);
    return { written, clock, again: () => log.warn(line) };
  };

  it('has the number of those left out as a field, and always the same message', async () => {
    const { written, clock, again } = warnThrice(true);
    await clock.advance(60_000);
    again();

    const line = { message: 'no answer', event: 'lifecycle.election.error', election: 'orders' };
    expect(written.map(([, it]) => it)).toEqual([line, { ...line, repeated: 1 }]);
  });

  it('has it in its text otherwise', async () => {
    const { written, clock, again } = warnThrice(false);
    await clock.advance(60_000);
    again();

    expect(written.map(([, it]) => it)).toEqual(['no answer', 'no answer (1 more of these since)']);
  });
});

describe('a text', () => {
  const FORGED = 'x\n[Nest] 1  - LOG Leading election "orders"\r\u001b[2K\u2028\u0085';

  it('is one line, whatever names and errors contain', () => {
    const { target, written } = noting();
    const error = new Error(FORGED);
    const sink = new LoggingSink({ publish: () => undefined }, target);
    sink.publish('lifecycle.component.status', { ...STATUS, name: 'a\nb', to: 'failed', error });

    const [, line, stack] = written[0]!;
    expect(line).toBe(
      'a\\nb failed, it stays down: x\\n[Nest] 1  - LOG Leading election "orders"\\r\\u001b[2K\\u2028\\u0085',
    );
    const lines = String(stack).split('\n');
    expect(lines.slice(1).every((it) => it.startsWith('    '))).toBe(true);
    for (const it of '\r\u001b\u2028\u0085') expect(stack).not.toContain(it);
  });

  it('without control characters is not touched', () => {
    const { written, target } = noting();
    const text = 'tab\there, "quotes", ünïcödé 🙂';
    guarded(target).warn(text);
    guarded(target).warn({ message: text, event: 'x' });
    expect(written).toEqual([
      ['warn', text],
      ['warn', text],
    ]);
  });

  it('is one line in the message of fields too, whose error keeps what was thrown', () => {
    const { written, logger } = noting();
    logger.warn({ message: 'a\nb', event: 'x', error: errorFields(new Error('a\nb')) });
    expect(written[0]?.[1]).toEqual({ message: 'a\\nb', event: 'x', error: { name: 'Error', message: 'a\nb' } });
  });
});

describe('fields of what was thrown', () => {
  const throwing = () => {
    throw new Error('no');
  };

  it.each<[unknown, object]>([
    [Object.assign(new Error('a'), { code: 7 }), { name: 'Error', message: 'a', code: 7 }],
    [Object.assign(new Error('a'), { code: { deep: 1n } }), { name: 'Error', message: 'a' }],
    ['text', { name: 'string', message: 'text' }],
    [null, { name: 'null', message: 'null thrown' }],
    [undefined, { name: 'undefined', message: 'undefined thrown' }],
    [7n, { name: 'bigint', message: '7 thrown' }],
    [new Proxy({}, { get: throwing }), { name: 'object', message: 'an unprintable value was thrown' }],
  ])('can always be written as JSON: %#', (thrown, fields) => {
    expect(JSON.parse(JSON.stringify(errorFields(thrown)))).toEqual(fields);
  });
});

it('takes console, and loggers with more than is asked for', () => {
  const texts: string[] = [];
  const loggers: LifecycleLogger[] = [
    console,
    {
      log: (text: string) => void texts.push(text),
      warn: (text: string) => void texts.push(text),
      error: (text: string, stack?: string) => void texts.push(text, String(stack)),
    },
    { log: (...all: unknown[]) => all.length, warn: () => 1, error: (...all: unknown[]) => all.length },
  ];
  expect(loggers).toHaveLength(3);
});
