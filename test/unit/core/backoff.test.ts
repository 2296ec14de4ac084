import { describe, expect, it } from '@jest/globals';
import { backoffMs } from '../../../lib/core/backoff.js';

const LIMITS = { initialMs: 100, maxMs: 1500 };

describe('backoffMs()', () => {
  it('doubles from its beginning to its bound', () => {
    expect([0, 1, 2, 3, 4, 5, 6].map((failures) => backoffMs(failures, LIMITS, 1))).toEqual([
      100, 200, 400, 800, 1500, 1500, 1500,
    ]);
  });

  it('spreads over the upper half', () => {
    expect([0, 0.5, 1].map((random) => backoffMs(1, LIMITS, random))).toEqual([100, 150, 200]);
  });

  it('begins at its bound when that is smaller than its beginning', () => {
    expect(backoffMs(0, { initialMs: 500, maxMs: 50 }, 1)).toBe(50);
  });

  it.each([100, 1024, 1e9])('is a number after %d failures', (failures) => {
    expect(backoffMs(failures, LIMITS, 1)).toBe(1500);
    expect(backoffMs(failures, { initialMs: 0, maxMs: 1500 }, 1)).toBe(0);
  });
});
