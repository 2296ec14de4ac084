import { uptime } from 'node:os';
import { describe, expect, it, jest } from '@jest/globals';
import { delay, settlesWithin, systemClock } from '../../../lib/core/clock.js';
import { Deferred } from '../../../lib/core/deferred.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  await new Promise((resolve) => void setImmediate(resolve));
  return Promise.race([promise, Promise.resolve('pending')]);
}

describe('delay()', () => {
  it('resolves true when its time has passed, and not before', async () => {
    const clock = new ManualClock();
    const waiting = delay(clock, 100);
    await clock.advance(99);
    expect(await stateOf(waiting)).toBe('pending');
    await clock.advance(1);

    await expect(waiting).resolves.toBe(true);
  });

  it.each([0, -5])('resolves true at once for %d ms, without a timer', async (delayMs) => {
    const clock = new ManualClock();

    expect(await stateOf(delay(clock, delayMs))).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('resolves false as soon as its signal aborts, and leaves neither timer nor listener', async () => {
    const clock = new ManualClock();
    const control = new AbortController();
    const remove = jest.spyOn(control.signal, 'removeEventListener');
    const waiting = delay(clock, 100, control.signal);
    control.abort();

    await expect(waiting).resolves.toBe(false);
    expect(clock.pending).toBe(0);
    expect(remove).toHaveBeenCalledTimes(1);
  });

  it('leaves no listener when its time has passed', async () => {
    const clock = new ManualClock();
    const { signal } = new AbortController();
    const [add, remove] = [jest.spyOn(signal, 'addEventListener'), jest.spyOn(signal, 'removeEventListener')];
    const waiting = delay(clock, 1, signal);
    await clock.advance(1);

    await expect(waiting).resolves.toBe(true);
    expect(remove.mock.calls.length).toBe(add.mock.calls.length);
  });

  it('resolves false at once when its signal is aborted already, whatever the time', async () => {
    const clock = new ManualClock();

    await expect(delay(clock, 100, AbortSignal.abort())).resolves.toBe(false);
    await expect(delay(clock, 0, AbortSignal.abort())).resolves.toBe(false);
    expect(clock.pending).toBe(0);
  });
});

describe('settlesWithin()', () => {
  it.each([
    ['resolves', (it: Deferred<void>) => it.resolve()],
    ['rejects', (it: Deferred<void>) => it.reject(new Error('no'))],
  ])('is true as soon as the promise %s, and leaves no timer', async (_, settle) => {
    const clock = new ManualClock();
    const work = new Deferred<void>();
    const waiting = settlesWithin(clock, work.promise, 100);
    await clock.advance(50);
    settle(work);

    await expect(waiting).resolves.toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('is false when the time is up first', async () => {
    const clock = new ManualClock();
    const waiting = settlesWithin(clock, new Promise(() => undefined), 100);
    await clock.advance(100);

    await expect(waiting).resolves.toBe(false);
  });

  it('is true for what has settled already, and false for what has not when there is no time at all', async () => {
    const clock = new ManualClock();

    await expect(settlesWithin(clock, Promise.resolve(), 1)).resolves.toBe(true);
    await expect(settlesWithin(clock, new Promise(() => undefined), 0)).resolves.toBe(false);
  });
});

describe('the system clock', () => {
  it('calls no sooner than never for what is longer than a Node timer takes', () => {
    const callback = jest.fn();
    const set = jest.spyOn(globalThis, 'setTimeout');
    const cancel = systemClock.setTimer(callback, 2 ** 40);

    expect(set).toHaveBeenCalledWith(callback, 2 ** 31 - 1);
    cancel();
    cancel();
    set.mockRestore();
  });

  it('keeps the process alive with a timer, unless that is in the background', () => {
    const set = jest.spyOn(globalThis, 'setTimeout');
    const cancels = [undefined, { background: true }].map((options) =>
      systemClock.setTimer(() => undefined, 1000, options),
    );
    const timers = set.mock.results.map(({ value }) => value as NodeJS.Timeout);

    expect(timers.map((timer) => timer.hasRef())).toEqual([true, false]);
    cancels.forEach((cancel) => cancel());
    set.mockRestore();
  });

  it('reads a time that does not go back, and the time of day', () => {
    const [first, second] = [systemClock.now(), systemClock.now()];

    expect(second).toBeGreaterThanOrEqual(first);
    expect(Math.abs(systemClock.wallNow() - Date.now())).toBeLessThan(1000);
  });

  it('reads how long the host has been up, in milliseconds', () => {
    expect(Math.abs((systemClock.bootNow?.() ?? 0) - uptime() * 1000)).toBeLessThan(2000);
  });
});
