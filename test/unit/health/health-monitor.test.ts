import { AsyncLocalStorage } from 'node:async_hooks';
import { jest } from '@jest/globals';
import type { Clock } from '../../../lib/core/clock.js';
import { HealthCheckTimeoutError, InvalidOptionError } from '../../../lib/core/errors.js';
import { currentRunContext, type RunContext } from '../../../lib/core/run-context.js';
import { HealthMonitor } from '../../../lib/health/health-monitor.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { FakeRegistry } from '../../fixtures/fake-registry.js';

function setUp({ intervalMs = 10_000, timeoutMs = 1000 } = {}) {
  const clock = new ManualClock();
  const registry = new FakeRegistry();
  const monitor = new HealthMonitor({ registry, clock, intervalMs, timeoutMs });
  return { clock, registry, monitor };
}

const hang = () => new Promise<void>(() => undefined);

describe('a health check', () => {
  it('is called for running components only', async () => {
    const { registry, monitor } = setUp();
    const called: string[] = [];
    for (const status of ['pending', 'starting', 'running', 'stopping', 'stopped', 'failed', 'standby'] as const) {
      const component = { start: () => undefined, healthCheck: () => void called.push(status) };
      registry.set(status, { info: { status }, component, run: { startedAt: 0 } });
    }
    await monitor.refresh();
    expect(called).toEqual(['running']);
    expect(registry.recorded.map((it) => it.name)).toEqual(['running']);
  });

  it('is not missed on components that have none', async () => {
    const { registry, monitor } = setUp();
    registry.set('plain', { run: { startedAt: 0 } });
    await monitor.refresh();
    expect(registry.recorded).toEqual([]);
    expect(monitor.components()).toMatchObject([{ name: 'plain', level: 'up' }]);
  });

  it('runs within the run that it is about, and keeps its own `this`', async () => {
    const { registry, monitor } = setUp();
    const seen: unknown[] = [];
    const run = { startedAt: 5 };
    const component = {
      start: () => undefined,
      async healthCheck(): Promise<void> {
        await Promise.resolve();
        seen.push(currentRunContext(), this);
      },
    };
    registry.set('checked', { component, run });
    await monitor.refresh();
    expect(seen).toEqual([run, component]);
  });

  it('gives its result back with the run that it was about', async () => {
    const { registry, monitor } = setUp();
    const boom = new Error('boom');
    const good = registry.running('good', () => undefined);
    const bad = registry.running('bad', () => Promise.reject(boom));
    await monitor.refresh();
    expect(registry.recorded).toEqual([
      { name: 'good', run: good, result: { healthy: true } },
      { name: 'bad', run: bad, result: { healthy: false, error: boom } },
    ]);
    expect(registry.recorded[0]?.run).toBe(good);
  });

  it.each([
    [
      'throws at once',
      () => {
        throw new Error('boom');
      },
      'unhealthy: boom',
    ],
    ['rejects', () => Promise.reject(new Error('boom')), 'unhealthy: boom'],
    ['rejects with a non-Error', () => Promise.reject('just text'), 'unhealthy: just text'],
    ['rejects with nothing', () => Promise.reject(undefined), 'unhealthy: undefined thrown'],
    [
      'throws null',
      () => {
        throw null;
      },
      'unhealthy: null thrown',
    ],
    ['hangs', hang, 'unhealthy: The health check of component "bad" has not settled within 1000 ms'],
    [
      'throws what cannot be printed',
      () => {
        throw new Proxy(
          {},
          {
            get() {
              throw new Error('trap');
            },
          },
        );
      },
      'unhealthy: an unprintable value was thrown',
    ],
  ])('that %s leaves the others shown, in time', async (_, healthCheck, note) => {
    const { clock, registry, monitor } = setUp();
    registry.running('before', () => undefined);
    registry.running('bad', healthCheck);
    registry.running('after', async () => undefined);
    const refreshed = monitor.refresh();
    await clock.advance(1000);
    await refreshed;
    expect(monitor.components()).toMatchObject([
      { name: 'before', level: 'up' },
      { name: 'bad', level: 'down', note },
      { name: 'after', level: 'up' },
    ]);
    expect(clock.pending).toBe(0);
  });

  it('whose getter throws is that component down, the others shown', async () => {
    const { registry, monitor } = setUp();
    const component = {
      start: () => undefined,
      get healthCheck(): () => void {
        throw new Error('no check here');
      },
    };
    registry.set('bad', { component, run: { startedAt: 0 } });
    registry.running('good', () => undefined);
    await monitor.refresh();
    expect(monitor.components()).toMatchObject([{ level: 'down', note: 'unhealthy: no check here' }, { level: 'up' }]);
  });

  it('that returns a thenable that throws is unhealthy', async () => {
    const { registry, monitor } = setUp();
    registry.running('bad', () => ({
      // oxlint-disable-next-line unicorn/no-thenable
      get then() {
        throw new Error('odd');
      },
    }));
    await monitor.refresh();
    expect(registry.resultsOf('bad')).toMatchObject([{ healthy: false, error: { message: 'odd' } }]);
  });
});

describe('the timeout of a check', () => {
  it('aborts its signal with the reason, and does not use a later result', async () => {
    const { clock, registry, monitor } = setUp();
    let signal: AbortSignal | undefined;
    let finish = () => undefined as void;
    registry.running('slow', (given: AbortSignal) => {
      signal = given;
      return new Promise<void>((resolve) => (finish = resolve));
    });
    const refreshed = monitor.refresh();
    await clock.advance(999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    await refreshed;
    expect(signal?.reason).toBeInstanceOf(HealthCheckTimeoutError);
    expect(signal?.reason).toMatchObject({ component: 'slow' });
    finish();
    await clock.settle();
    expect(registry.resultsOf('slow')).toEqual([{ healthy: false, error: signal?.reason }]);
  });

  it('does not touch the signal of a check that was in time', async () => {
    const { clock, registry, monitor } = setUp();
    let signal: AbortSignal | undefined;
    registry.running('quick', (given: AbortSignal) => void (signal = given));
    await monitor.refresh();
    await clock.advance(5000);
    expect(signal?.aborted).toBe(false);
  });

  it('is one timer for all checks of a round', async () => {
    const { clock, registry, monitor } = setUp();
    for (let i = 0; i < 100; i++) registry.running(`slow-${i}`, hang);
    const refreshed = monitor.refresh();
    expect(clock.pending).toBe(1);
    await clock.advance(1000);
    await refreshed;
    expect(registry.recorded).toHaveLength(100);
    expect(clock.pending).toBe(0);
  });
});

describe('a check that hangs', () => {
  it('is not called again until it settles, and counts as one more failure in each interval', async () => {
    const { clock, registry, monitor } = setUp();
    let calls = 0;
    let finish = () => undefined as void;
    registry.running('stuck', () => {
      calls++;
      return calls === 1 ? new Promise<void>((resolve) => (finish = resolve)) : undefined;
    });
    monitor.start();
    await clock.advance(35_000);
    expect(calls).toBe(1);
    expect(registry.resultsOf('stuck').map((it) => it.healthy)).toEqual([false, false, false, false]);
    finish();
    await clock.settle();
    expect(monitor.components()).toMatchObject([{ level: 'down' }]);
    await clock.advance(5000);
    expect(calls).toBe(2);
    expect(monitor.components()).toMatchObject([{ level: 'up' }]);
    monitor.stop();
  });

  it('does not delay the next refresh', async () => {
    const { clock, registry, monitor } = setUp();
    registry.running('stuck', hang);
    const first = monitor.refresh();
    await clock.advance(1000);
    await first;
    await monitor.refresh();
    expect(registry.resultsOf('stuck')).toHaveLength(2);
  });

  it('is waited for by a refresh that comes while it still has time', async () => {
    const { clock, registry, monitor } = setUp();
    let calls = 0;
    registry.running('slow', () => {
      calls++;
      return hang();
    });
    let done = 0;
    void monitor.refresh().then(() => done++);
    await clock.advance(500);
    void monitor.refresh().then(() => done++);
    await clock.advance(499);
    expect([calls, done]).toEqual([1, 0]);
    await clock.advance(1);
    expect([calls, done]).toEqual([1, 2]);
  });

  it('from an earlier run makes the next run unhealthy at the interval, and is followed by its check once it settles', async () => {
    const { clock, registry, monitor } = setUp();
    let finish = () => undefined as void;
    registry.running('restarted', () => new Promise<void>((resolve) => (finish = resolve)));
    monitor.start();
    await clock.advance(2000);
    const second = registry.running('restarted', () => undefined, clock.now());
    monitor.markRunning();
    await clock.advance(8000);
    expect(registry.recorded.at(-1)).toMatchObject({ run: second, result: { healthy: false } });
    finish();
    await clock.settle();
    await clock.advance(0);
    expect(registry.recorded.at(-1)).toEqual({ name: 'restarted', run: second, result: { healthy: true } });
    monitor.stop();
  });
});

describe('background checks', () => {
  it('come by timers that do not keep the process alive', async () => {
    const { clock, registry, monitor } = setUp();
    const setTimer = jest.spyOn(clock as Clock, 'setTimer');
    registry.running('checked', () => undefined);
    monitor.start();
    await clock.advance(10_000);
    expect(setTimer.mock.calls.length).toBeGreaterThanOrEqual(4);
    for (const [, , options] of setTimer.mock.calls) expect(options).toEqual({ background: true });
    monitor.stop();
  });

  it('come once per interval', async () => {
    const { clock, registry, monitor } = setUp();
    let calls = 0;
    registry.running('checked', () => void calls++);
    monitor.start();
    monitor.start();
    await clock.advance(0);
    expect(calls).toBe(1);
    await clock.advance(30_000);
    expect(calls).toBe(4);
    monitor.stop();
  });

  it('come at once for a run that has just begun', async () => {
    const { clock, registry, monitor } = setUp();
    monitor.start();
    await clock.advance(5000);
    registry.running('late', () => undefined);
    monitor.markRunning();
    await clock.advance(0);
    expect(registry.resultsOf('late')).toEqual([{ healthy: true }]);
    monitor.stop();
  });

  it('check a run that has just begun once, and no other again', async () => {
    const { clock, registry, monitor } = setUp();
    registry.running('old', () => undefined);
    monitor.start();
    await clock.advance(1000);
    registry.running('new', () => undefined);
    for (let i = 0; i < 10; i++) monitor.markRunning();
    await clock.advance(1000);
    expect(registry.recorded.map((it) => it.name)).toEqual(['old', 'new']);
    monitor.stop();
  });

  it('look at most ten times a second for new runs, however many begin', async () => {
    const { clock, registry, monitor } = setUp();
    monitor.start();
    let looks = 0;
    const snapshot = registry.snapshot.bind(registry);
    registry.snapshot = () => (looks++, snapshot());
    for (let i = 0; i < 1000; i++) {
      monitor.markRunning();
      await clock.advance(1);
    }
    expect(looks).toBeLessThanOrEqual(11);
    monitor.stop();
  });

  it('see nothing of the async context that happened to report a status', async () => {
    const { clock, registry, monitor } = setUp();
    const context = new AsyncLocalStorage<string>();
    let run: RunContext | undefined;
    const own = registry.running('checked', () => void (run = currentRunContext()));
    monitor.start();
    context.run('somebody else', () => monitor.markRunning());
    await clock.advance(0);
    expect(run).toBe(own);
    monitor.stop();
  });
});

describe('stop()', () => {
  it('leaves no timer, aborts what is under way, and lets a waiting refresh go', async () => {
    const { clock, registry, monitor } = setUp();
    let signal: AbortSignal | undefined;
    registry.running('slow', (given: AbortSignal) => {
      signal = given;
      return hang();
    });
    monitor.start();
    const refreshed = monitor.refresh();
    monitor.markRunning();
    monitor.stop();
    await refreshed;
    expect(signal?.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('is the end: nothing is called or recorded afterwards', async () => {
    const { clock, registry, monitor } = setUp();
    let finish = () => undefined as void;
    let calls = 0;
    registry.running('slow', () => {
      calls++;
      return new Promise<void>((resolve) => (finish = resolve));
    });
    monitor.start();
    await clock.advance(0);
    monitor.stop();
    monitor.stop();
    finish();
    monitor.start();
    monitor.markRunning();
    await monitor.refresh();
    await clock.advance(100_000);
    expect([calls, registry.recorded]).toEqual([1, []]);
    expect(monitor.live().ok).toBe(true);
  });
});

describe('what a probe costs', () => {
  it('is no user code and no waiting, also while every check hangs', async () => {
    const { registry, monitor } = setUp();
    let calls = 0;
    for (let i = 0; i < 3; i++) {
      registry.running(`stuck-${i}`, () => {
        calls++;
        return hang();
      });
    }
    void monitor.refresh();
    for (let i = 0; i < 100; i++) {
      monitor.live();
      monitor.ready();
      monitor.startup();
      monitor.components();
      monitor.elections();
    }
    expect(calls).toBe(3);
    monitor.stop();
  });

  it('is no new verdict while nothing changes', async () => {
    const { registry, monitor } = setUp();
    registry.running('one', () => undefined);
    registry.running('two', () => undefined);
    const before = monitor.components();
    expect(monitor.components()).toBe(before);
    expect(monitor.elections()).toBe(monitor.elections());
    registry.set('two', { info: { status: 'failed', error: 'boom' } });
    const after = monitor.components();
    expect(after).not.toBe(before);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toMatchObject({ level: 'down' });
  });
});

describe('options', () => {
  it('are refused by name when they cannot work', () => {
    const { clock, registry } = setUp();
    const make = (it: object) => () => new HealthMonitor({ registry, clock, intervalMs: 1000, timeoutMs: 1000, ...it });
    expect(make({ intervalMs: 0 })).toThrow(InvalidOptionError);
    expect(make({ timeoutMs: '1s' })).toThrow(/"timeoutMs" in HealthMonitor is "1s"/);
    expect(make({ intervalMs: undefined })).toThrow(InvalidOptionError);
  });
});
