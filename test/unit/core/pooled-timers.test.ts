import { describe, expect, test } from '@jest/globals';
import { PooledTimers } from '../../../lib/core/pooled-timers.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

function pooled() {
  const clock = new ManualClock();
  const timers = new PooledTimers(clock);
  const calls: string[] = [];
  const wait = (name: string, delayMs: number) =>
    timers.setTimer(() => calls.push(`${name} at ${clock.now()}`), delayMs);
  return { clock, calls, wait, timers };
}

describe('pooled timers', () => {
  test('call each at its own time, in order', async () => {
    const { clock, calls, wait } = pooled();
    wait('a', 100);
    await clock.advance(30);
    wait('b', 100);
    wait('c', 50);

    await clock.advance(200);

    expect(calls).toEqual(['c at 80', 'a at 100', 'b at 130']);
  });

  test('take one timer of the clock for waits of one length, and leave none behind', async () => {
    const { clock, wait } = pooled();
    const cancels = Array.from({ length: 1000 }, (_, index) => wait(String(index), 100));
    expect(clock.pending).toBe(1);

    cancels.forEach((cancel) => cancel());

    expect(clock.pending).toBe(0);
  });

  test('do not call what was cancelled, be it first, last or twice', async () => {
    const { clock, calls, wait } = pooled();
    const first = wait('first', 100);
    wait('kept', 100);
    await clock.advance(10);
    const last = wait('last', 100);
    first();
    first();
    last();

    await clock.advance(500);

    expect(calls).toEqual(['kept at 100']);
    expect(clock.pending).toBe(0);
  });

  test('may be begun and cancelled by those that are called', async () => {
    const { clock, calls, wait, timers } = pooled();
    let cancelLater: () => void = () => undefined;
    timers.setTimer(() => {
      cancelLater();
      wait('again', 100);
    }, 100);
    cancelLater = wait('cancelled by the first', 100);

    await clock.advance(500);

    expect(calls).toEqual(['again at 200']);
    expect(clock.pending).toBe(0);
  });

  test('that are begun by the first of several that are due have their turn as well', async () => {
    const { clock, calls, wait, timers } = pooled();
    timers.setTimer(() => wait('begun by the first', 100), 100);
    wait('second', 100);

    await clock.advance(500);

    expect(calls).toEqual(['second at 100', 'begun by the first at 200']);
    expect(clock.pending).toBe(0);
  });

  test('can be used again after all have ended', async () => {
    const { clock, calls, wait } = pooled();
    wait('a', 10);
    await clock.advance(10);
    wait('b', 10);
    await clock.advance(10);

    expect(calls).toEqual(['a at 10', 'b at 20']);
  });

  test('that the clock fires early are waited for again', async () => {
    const { clock, calls } = pooled();
    let early = 0;
    const timers = new PooledTimers({
      now: () => clock.now(),
      wallNow: () => clock.wallNow(),
      setTimer: (callback, delayMs) => clock.setTimer(callback, early++ === 0 ? delayMs - 1 : delayMs),
    });
    timers.setTimer(() => calls.push(`at ${clock.now()}`), 100);

    await clock.advance(500);

    expect(calls).toEqual(['at 100']);
  });
});
