import { expect, test } from '@jest/globals';
import { ServerTimes } from '../../../../lib/electors/postgres/server-times.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';

const REQUEST_TIMEOUT_MS = 250;

function open() {
  const clock = new ManualClock();
  return { clock, times: new ServerTimes(clock, REQUEST_TIMEOUT_MS) };
}

test('nothing is too late while the server’s time is not known', async () => {
  const { times } = open();
  expect(times.notAfter()).toBeNull();

  await times.learn(() => Promise.resolve([]));
  await times.learn(() => Promise.resolve([{ clockUs: null }]));

  expect(times.notAfter()).toBeNull();
});

test('a request is in time for as long as one may take, from the server’s time as it was asked for', async () => {
  const { clock, times } = open();
  await times.learn(async () => {
    await clock.advance(100);
    return [{ clockUs: '5000000' }];
  });

  expect(times.notAfter()).toBe('5350000');
  await clock.advance(1000);
  expect(times.notAfter()).toBe('6350000');
});

test('the server’s time is the one that was told last, also when its clock was set back', async () => {
  const { times } = open();
  await times.learn(() => Promise.resolve([{ clockUs: '5000000' }]));
  await times.learn(() => Promise.resolve([{ clockUs: '1000000' }]));

  expect(times.notAfter()).toBe('1250000');
});

test('a request that fails tells nothing', async () => {
  const { times } = open();
  await times.learn(() => Promise.resolve([{ clockUs: '5000000' }]));

  await expect(times.learn(() => Promise.reject(new Error('reset')))).rejects.toThrow('reset');

  expect(times.notAfter()).toBe('5250000');
});
