import { describe, expect, test } from '@jest/globals';
import type { Component, HealthChecker } from '../../../lib/core/component.js';
import { InvalidComponentError, StallError } from '../../../lib/core/errors.js';
import { createActivityTracker } from '../../../lib/health/create-tracker.js';
import { ComponentHarness, startComponent } from '../../../lib/testing/component-harness.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { Worker } from '../leadership/leadership-fixtures.js';

class Poller implements Component, HealthChecker {
  readonly name = 'poller';
  readonly tracker;

  constructor(clock: ManualClock) {
    this.tracker = createActivityTracker('poller', 1000, { clock });
  }

  start(): void {}
  stop(): void {}

  healthCheck(): void {
    this.tracker.check();
  }
}

describe('checkHealth()', () => {
  test('resolves when the check passes, rejects with what it throws, and the info has the result', async () => {
    const clock = new ManualClock();
    const harness = await startComponent(new Poller(clock), { clock });
    await harness.checkHealth();
    expect(harness.info.healthy).toBe(true);

    await clock.advance(1001);

    await expect(harness.checkHealth()).rejects.toThrow(StallError);
    expect(harness.info.healthy).toBe(false);
    await harness.stop();
  });

  test('re-arms a tracker at each start: what was before the run does not count', async () => {
    const clock = new ManualClock();
    const harness = new ComponentHarness(new Poller(clock), { clock, leaderOnly: true });
    await harness.start();
    for (let term = 0; term < 2; term++) {
      await clock.advance(60_000);
      await harness.elect();
      await harness.checkHealth();
      await clock.advance(1001);
      await expect(harness.checkHealth()).rejects.toThrow(/no activity was recorded for longer than/);
      await harness.depose();
    }
    await harness.stop();
  });

  test('restarts after three failures in a row where onUnhealthy says so', async () => {
    const clock = new ManualClock();
    const harness = await startComponent(new Poller(clock), { clock, onUnhealthy: 'restart' });
    await clock.advance(1001);
    for (let check = 0; check < 3; check++) await expect(harness.checkHealth()).rejects.toThrow(StallError);

    await clock.settle();

    expect(harness.info).toMatchObject({ status: 'running', restarts: 1 });
    await harness.stop();
  });

  test('has nothing to call in a component without a check', async () => {
    const harness = await startComponent(new Worker());

    await expect(harness.checkHealth()).rejects.toThrow(InvalidComponentError);
    await harness.stop();
  });

  test('does not check what is not running', async () => {
    const clock = new ManualClock();
    const harness = await startComponent(new Poller(clock), { clock, leaderOnly: true });

    await expect(harness.checkHealth()).rejects.toThrow('"poller" is standby: only what is running is checked.');
    await harness.stop();
  });
});
