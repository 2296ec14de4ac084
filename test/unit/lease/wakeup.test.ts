import { beforeEach, expect, test } from '@jest/globals';
import { Wakeup } from '../../../lib/core/lease/wakeup.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

const GAP_MS = 100;
let clock: ManualClock;
let wakeup: Wakeup;
let control: AbortController;
let woken: number[];

beforeEach(() => {
  clock = new ManualClock();
  wakeup = new Wakeup(clock, GAP_MS);
  control = new AbortController();
  woken = [];
});

const wait = (ms: number) => void wakeup.wait(ms, control.signal).then(() => woken.push(clock.now()));

test('waits for as long as it was told to', async () => {
  wait(500);

  await clock.advance(1000);

  expect(woken).toEqual([500]);
});

test('is cut short by a hint, also by one that came just before', async () => {
  wait(500);
  await clock.advance(20);
  wakeup.wake();
  await clock.advance(200);
  wakeup.wake();
  wait(500);
  await clock.advance(1000);

  expect(woken).toEqual([20, 220]);
});

test('forgets a hint about what will be read anyway', async () => {
  wakeup.wake();
  wakeup.forget();
  wait(500);

  await clock.advance(1000);

  expect(woken).toEqual([500]);
});

test('is cut short at once by a second hint, right after the one that comes when a watch is opened', async () => {
  const hinted = async () => {
    await wakeup.wait(500, control.signal);
    woken.push(clock.now());
    wakeup.forget();
  };
  wakeup.wake();
  await hinted();
  const waiting = hinted();
  await clock.advance(20);
  wakeup.wake();
  await clock.advance(1000);
  await waiting;

  expect(woken).toEqual([0, 20]);
});

test('lets no storm of hints through', async () => {
  const loop = async () => {
    while (!control.signal.aborted) {
      await wakeup.wait(500, control.signal);
      woken.push(clock.now());
    }
  };
  const looping = loop();
  for (let hints = 0; hints < 40; hints++) {
    wakeup.wake();
    await clock.advance(10);
  }
  control.abort();
  await looping;

  expect(woken.slice(0, 5)).toEqual([0, 0, 100, 200, 300]);
});

test('never waits longer for a hint than without it', async () => {
  wakeup.wake();
  await wakeup.wait(500, control.signal);
  await wakeup.wait(500, control.signal);
  wait(40);
  wakeup.wake();

  await clock.advance(1000);

  expect(woken).toEqual([40]);
});

test('ends at once when it is told to, and leaves no timer', async () => {
  wait(500);
  control.abort();
  wait(500);
  await clock.settle();

  expect(woken).toEqual([0, 0]);
  expect(clock.pending).toBe(0);
});
