import { createHistogram } from 'node:perf_hooks';
import { expect, test } from '@jest/globals';
import { ManualClock } from 'nestjs-lifecycle/testing';
import { EventLoopDelay } from '../../../lib/metrics/event-loop-delay.js';

const TICK_NS = 20_000_000;

function monitored() {
  const clock = new ManualClock();
  const calls: string[] = [];
  const histogram = createHistogram();
  const enable = () => calls.push('enable') > 0;
  const disable = () => calls.push('disable') > 0;
  const ticks = {
    enable,
    disable,
    reset: () => histogram.reset(),
    percentile: (at: number) => histogram.percentile(at),
    get max() {
      return histogram.max;
    },
  };
  return {
    clock,
    calls,
    tick: (lateMs = 0) => histogram.record(TICK_NS + lateMs * 1e6),
    it: new EventLoopDelay(clock, ticks),
  };
}

test('gives by how much ticks were late, not how far apart they were', () => {
  const { it, tick } = monitored();
  for (let i = 0; i < 99; i++) tick();
  tick(300);
  const { p50, p99, max } = it.read();
  expect(p50).toBeCloseTo(0, 3);
  expect(p99).toBeCloseTo(0, 3);
  expect(max).toBeCloseTo(0.3, 3);
});

test('is 0 where there was no tick', () => {
  expect(monitored().it.read()).toEqual({ p50: 0, p99: 0, max: 0 });
});

test('begins a window with each reading, but none shorter than 5 s, so that all who read see the same', async () => {
  const { it, tick, clock } = monitored();
  const first = it.read();
  tick(300);
  await clock.advance(4999);
  expect(it.read()).toBe(first);
  await clock.advance(1);
  const second = it.read();
  expect(second.max).toBeCloseTo(0.3, 3);
  expect(it.read()).toBe(second);
  tick(10);
  await clock.advance(5000);
  expect(it.read().max).toBeCloseTo(0.01, 3);
});

test('stops what it started', () => {
  const { it, calls } = monitored();
  it.stop();
  expect(calls).toEqual(['enable', 'disable']);
});
