import { describe, expect, it } from '@jest/globals';
import type { RestartMode, RestartOptions } from '../../../lib/core/component.js';
import { RestartPolicy, resolveRestartOptions } from '../../../lib/registry/restart-policy.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

const DEFAULTS: RestartOptions = {
  initialDelayMs: 100,
  maxDelayMs: 1000,
  maxRestarts: 5,
  windowMs: 10_000,
  stableAfterMs: 500,
};

function setUp(options: Partial<RestartOptions> & { mode?: RestartMode } = {}, random = 1) {
  const clock = new ManualClock();
  return {
    clock,
    policy: new RestartPolicy({ ...DEFAULTS, mode: 'on-failure', ...options }, clock, () => random),
  };
}

describe('the delay', () => {
  it('doubles with each restart up to its bound', () => {
    const { policy } = setUp({ maxRestarts: 6 });
    const delays = Array.from({ length: 6 }, () => policy.runIsOver('failed')!.delayMs);

    expect(delays).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  it.each([
    [0, 50],
    [0.5, 75],
    [1, 100],
  ])('is spread over its upper half: at a random number of %d it is %d ms', (random, delayMs) => {
    expect(setUp({}, random).policy.runIsOver('failed')).toEqual({ delayMs, first: true });
  });

  it('is never 0, so that a component that fails at once does not keep the event loop to itself', () => {
    const { policy } = setUp({ initialDelayMs: 0, maxRestarts: 3000 });
    const delays = Array.from({ length: 3000 }, () => policy.runIsOver('failed')!.delayMs);

    expect(new Set(delays)).toEqual(new Set([1]));
  });

  it('stays at its bound however often it is doubled', () => {
    const { policy } = setUp({ maxRestarts: 3000 });
    const delays = Array.from({ length: 3000 }, () => policy.runIsOver('failed')!.delayMs);

    expect(delays.at(-1)).toBe(1000);
  });
});

describe('the cap', () => {
  it('is reached when as many restarts as allowed lie in the window', () => {
    const { policy } = setUp({ maxRestarts: 2 });

    expect(policy.runIsOver('failed')).toMatchObject({ first: true });
    expect(policy.runIsOver('failed')).toMatchObject({ first: false });
    expect(policy.runIsOver('failed')).toBeUndefined();
    expect(policy.runIsOver('failed')).toBeUndefined();
  });

  it('frees itself as the window slides', async () => {
    const { clock, policy } = setUp({ maxRestarts: 2 });
    policy.runIsOver('failed');
    await clock.advance(6000);
    policy.runIsOver('failed');
    expect(policy.runIsOver('failed')).toBeUndefined();
    await clock.advance(3999);
    expect(policy.runIsOver('failed')).toBeUndefined();
    await clock.advance(1);

    expect(policy.runIsOver('failed')).toMatchObject({ first: false });
    expect(policy.runIsOver('failed')).toBeUndefined();
  });

  it('of 0 allows none', () => {
    expect(setUp({ maxRestarts: 0 }).policy.runIsOver('failed')).toBeUndefined();
  });
});

describe('count and delay', () => {
  it('are cleared by a run that was ready for the stable time', async () => {
    const { clock, policy } = setUp({ maxRestarts: 2 });
    policy.runIsOver('failed');
    policy.runIsOver('failed');
    policy.runIsReady();
    await clock.advance(500);

    expect(policy.runIsOver('failed')).toEqual({ delayMs: 100, first: true });
  });

  it('are not cleared by shorter successes, however many', async () => {
    const { clock, policy } = setUp({ maxRestarts: 2 });
    for (let round = 0; round < 2; round++) {
      policy.runIsReady();
      await clock.advance(499);
      expect(policy.runIsOver('failed')).toBeDefined();
    }
    policy.runIsReady();
    await clock.advance(499);

    expect(policy.runIsOver('failed')).toBeUndefined();
  });

  it('are not cleared by the time between a run and the next one', async () => {
    const { clock, policy } = setUp({ maxRestarts: 1 });
    policy.runIsOver('failed');
    policy.runIsReady();
    await clock.advance(10);
    policy.runIsNotReadyAnyMore();
    await clock.advance(5000);

    expect(policy.runIsOver('failed')).toBeUndefined();
  });

  it('are not cleared by a run that was never ready, even when no time is asked for', () => {
    const { policy } = setUp({ maxRestarts: 1, stableAfterMs: 0 });
    policy.runIsOver('failed');

    expect(policy.runIsOver('failed')).toBeUndefined();
  });

  it('are cleared by any run that was ready when no time is asked for', () => {
    const { policy } = setUp({ maxRestarts: 1, stableAfterMs: 0 });
    for (let round = 0; round < 3; round++) {
      policy.runIsReady();
      expect(policy.runIsOver('failed')).toMatchObject({ first: true });
    }
  });
});

describe('the mode', () => {
  it.each<[RestartMode, { failed: boolean; finished: boolean; unhealthy: boolean }]>([
    ['never', { failed: false, finished: false, unhealthy: true }],
    ['on-failure', { failed: true, finished: false, unhealthy: true }],
    ['always', { failed: true, finished: true, unhealthy: true }],
  ])('%s decides what is restarted', (mode, expected) => {
    for (const reason of ['failed', 'finished', 'unhealthy'] as const) {
      expect(setUp({ mode }).policy.runIsOver(reason) !== undefined).toBe(expected[reason]);
    }
  });
});

describe('restart options', () => {
  it('are the defaults with what was given', () => {
    expect(resolveRestartOptions(undefined, DEFAULTS)).toEqual({ ...DEFAULTS, mode: 'never' });
    expect(resolveRestartOptions('always', DEFAULTS)).toEqual({ ...DEFAULTS, mode: 'always' });
    expect(resolveRestartOptions({ mode: 'on-failure', maxRestarts: 9 }, DEFAULTS)).toEqual({
      ...DEFAULTS,
      mode: 'on-failure',
      maxRestarts: 9,
    });
  });

  it('that are undefined do not hide a default', () => {
    const given = { mode: 'always', maxRestarts: undefined } as never;

    expect(resolveRestartOptions(given, DEFAULTS)).toEqual({ ...DEFAULTS, mode: 'always' });
  });

  it.each<[unknown, string]>([
    [
      'sometimes',
      'Option "restart" is "sometimes", expected one of "never", "on-failure", "always". Use one of these.',
    ],
    [5, 'Option "restart" is 5 (number), expected one of "never", "on-failure", "always". Use one of these.'],
    [
      { maxRestarts: 3 },
      'Option "restart.mode" is undefined (undefined), expected one of "never", "on-failure", "always". Say when to restart.',
    ],
    [
      { mode: 'always', retries: 3 },
      'Option "retries" in restart is 3 (number), expected no such option (known: mode, initialDelayMs, maxDelayMs, maxRestarts, windowMs, stableAfterMs). Correct its name, or remove it.',
    ],
    [
      { mode: 'always', maxRestarts: -1 },
      'Option "restart.maxRestarts" is -1 (number), expected an integer of at least 0. Use a whole number.',
    ],
    [
      { mode: 'always', initialDelayMs: '1s' },
      'Option "restart.initialDelayMs" is "1s", expected milliseconds, from 0 to 2147483647. Durations are numbers of milliseconds: 5000, not "5s".',
    ],
    [
      { mode: 'always', windowMs: 0 },
      'Option "restart.windowMs" is 0 (number), expected milliseconds, more than 0 and at most 2147483647. Durations are numbers of milliseconds, for example 5000.',
    ],
  ])('of %j are refused', (given, message) => {
    expect(() => resolveRestartOptions(given as never, DEFAULTS)).toThrow(message);
  });
});
