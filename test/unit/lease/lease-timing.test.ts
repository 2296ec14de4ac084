import { expect, test } from '@jest/globals';
import { resolveLeaseTiming } from '../../../lib/core/lease/lease-timing.js';

test('has times by default that fit together', () => {
  expect(resolveLeaseTiming(undefined, 'TestElector')).toEqual({
    leaseMs: 8000,
    renewMs: 2000,
    requestTimeoutMs: 1500,
    stopBudgetMs: 1500,
    marginMs: 800,
    deadlineMs: 5700,
    retryMs: 500,
  });
});

test('has a fast set', () => {
  expect(resolveLeaseTiming('fast', 'TestElector')).toMatchObject({
    leaseMs: 3000,
    marginMs: 300,
    deadlineMs: 2000,
    retryMs: 100,
  });
});

test('keeps at least 250 ms free for clocks that run apart', () => {
  const timing = { leaseMs: 2000, renewMs: 400, requestTimeoutMs: 300, stopBudgetMs: 300 };

  expect(resolveLeaseTiming(timing, 'TestElector')).toMatchObject({ marginMs: 250, deadlineMs: 1450 });
});

test('takes an option that is undefined as not given', () => {
  expect(resolveLeaseTiming({ leaseMs: undefined } as never, 'TestElector').leaseMs).toBe(8000);
});

test('names the rule and the numbers that break it', () => {
  expect(() => resolveLeaseTiming({ leaseMs: 5000 }, 'TestElector')).toThrow(
    'renewMs + 2 * requestTimeoutMs + 50 (a retry) to be at most leaseMs - stopBudgetMs - margin: ' +
      '2000 + 2 * 1500 + 50 = 5050, but 5000 - 1500 - 500 = 3000',
  );
});

test.each([
  ['a slow name', 'quick', /Pass 'fast'/],
  ['a time that is no number', { leaseMs: '8s' }, /timing\.leaseMs.*TestElector/],
  ['a time that nobody knows', { ttlMs: 8000 }, /ttlMs/],
])('rejects %s', (_what, given, message) => {
  expect(() => resolveLeaseTiming(given as never, 'TestElector')).toThrow(message);
});

test('follows an engine that has other defaults and limits', () => {
  const rules = {
    defaults: { leaseMs: 15_000, renewMs: 2000, requestTimeoutMs: 3500, stopBudgetMs: 3500 },
    smallestMarginMs: 1250,
    smallestRenewMs: 1000,
  };

  expect(resolveLeaseTiming({}, 'TestElector', rules)).toMatchObject({ marginMs: 1500, deadlineMs: 10_000 });
  expect(() => resolveLeaseTiming('fast', 'TestElector', rules)).toThrow(/3000 - 700 - 1250 = 1050/);
  expect(() => resolveLeaseTiming({ renewMs: 900 }, 'TestElector', rules)).toThrow(/renewMs.*900.*at least 1000/);
});
