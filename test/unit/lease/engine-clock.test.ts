import { expect, test } from '@jest/globals';
import { EngineClock } from '../../../lib/core/lease/engine-clock.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

const REQUEST_TIMEOUT_MS = 250;

function open() {
  const clock = new ManualClock();
  const engineClock = new EngineClock(clock, REQUEST_TIMEOUT_MS);
  const learn = (ask: () => Promise<bigint | undefined>) => engineClock.learn(ask, (us) => us);
  return { clock, learn, notAfter: () => engineClock.notAfter() };
}

test('nothing is too late while the engine’s time is not known', async () => {
  const { learn, notAfter } = open();
  expect(notAfter()).toBeUndefined();

  await learn(() => Promise.resolve(undefined));

  expect(notAfter()).toBeUndefined();
});

test('a request is in time for as long as one may take, from the engine’s time as it was asked for', async () => {
  const { clock, learn, notAfter } = open();
  await learn(async () => {
    await clock.advance(100);
    return 5000000n;
  });

  expect(notAfter()).toBe(5350000n);
  await clock.advance(1000);
  expect(notAfter()).toBe(6350000n);
});

test('the engine’s time is the one that was told last, also when its clock was set back', async () => {
  const { learn, notAfter } = open();
  await learn(() => Promise.resolve(5000000n));
  await learn(() => Promise.resolve(1000000n));

  expect(notAfter()).toBe(1250000n);
});

test('a request that fails tells nothing', async () => {
  const { learn, notAfter } = open();
  await learn(() => Promise.resolve(5000000n));

  await expect(learn(() => Promise.reject(new Error('reset')))).rejects.toThrow('reset');

  expect(notAfter()).toBe(5250000n);
});
