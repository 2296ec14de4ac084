import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

function recorded(): {
  clock: ManualClock;
  fired: string[];
  set: (name: string, delayMs: number, then?: () => void) => () => void;
} {
  const clock = new ManualClock();
  const fired: string[] = [];
  const set = (name: string, delayMs: number, then?: () => void) =>
    clock.setTimer(() => {
      fired.push(`${name}@${clock.now()}`);
      then?.();
    }, delayMs);
  return { clock, fired, set };
}

describe('ManualClock', () => {
  test('stands still until it is told to move', async () => {
    const { clock, fired, set } = recorded();
    set('a', 0);
    await clock.settle();

    expect([clock.now(), clock.wallNow(), fired, clock.pending]).toEqual([0, 0, [], 1]);
  });

  test('begins at the wall-clock time that it was given', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await clock.advance(5);

    expect([clock.now(), clock.wallNow()]).toEqual([5, 1_700_000_000_005]);
  });

  test('fires timers in the order of their times, then of their setting, each at its own time', async () => {
    const { clock, fired, set } = recorded();
    set('late', 30);
    set('early', 10);
    set('first of two', 20);
    set('second of two', 20);

    await clock.advance(30);

    expect(fired).toEqual(['early@10', 'first of two@20', 'second of two@20', 'late@30']);
    expect(clock.pending).toBe(0);
  });

  test('fires no timer early, and moves by exactly what it was told', async () => {
    const { clock, fired, set } = recorded();
    set('a', 10);

    await clock.advance(9.5);
    expect([clock.now(), fired]).toEqual([9.5, []]);
    await clock.advance(0.5);

    expect(fired).toEqual(['a@10']);
  });

  test('fires timers that timers set, when they fall due as well', async () => {
    const { clock, fired, set } = recorded();
    set('a', 10, () => set('b', 10, () => set('c', 10)));

    await clock.advance(25);

    expect(fired).toEqual(['a@10', 'b@20']);
    expect(clock.pending).toBe(1);
  });

  test('runs what a timer set off, to the end, before the next one fires', async () => {
    const { clock, fired, set } = recorded();
    set('a', 10, () => {
      void (async () => {
        for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
        fired.push('a is done');
      })();
    });
    set('b', 11);

    await clock.advance(20);

    expect(fired).toEqual(['a@10', 'a is done', 'b@11']);
  });

  test('does not fire what was cancelled, also by another timer of the same time; cancelling twice is one', async () => {
    const { clock, fired, set } = recorded();
    let cancel: () => void = () => undefined;
    set('a', 10, () => cancel());
    cancel = set('b', 10);
    const cancelFired = set('c', 10);

    await clock.advance(10);
    cancel();
    cancelFired();

    expect(fired).toEqual(['a@10', 'c@10']);
  });

  test.each([0, -5, Number.NaN])('takes a delay of %d for none', async (delayMs) => {
    const { clock, fired, set } = recorded();
    set('a', delayMs);

    await clock.advance(0);

    expect(fired).toEqual(['a@0']);
  });

  test.each([-1, Number.NaN, Infinity])('does not advance by %d', async (byMs) => {
    await expect(new ManualClock().advance(byMs)).rejects.toThrow(RangeError);
  });

  test('never goes back when two advances overlap', async () => {
    const { clock, set } = recorded();
    set('a', 10);
    const times: number[] = [];
    const advancing = Promise.all([clock.advance(20), clock.advance(100)]);
    for (let turn = 0; turn < 100; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      times.push(clock.now());
    }
    await advancing;

    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(clock.now()).toBe(100);
  });
});
