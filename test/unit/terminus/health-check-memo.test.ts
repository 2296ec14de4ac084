import { jest } from '@jest/globals';
import { ServiceUnavailableException } from '@nestjs/common';
import { HealthIndicatorService, type HealthCheckService, type HealthIndicatorResult } from '@nestjs/terminus';
import { HealthMonitor } from '../../../lib/health/health-monitor.js';
import { HealthCheckMemo } from '../../../lib/terminus/health-check-memo.js';
import { LifecycleHealthIndicator } from '../../../lib/terminus/lifecycle-health.indicator.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { FakeRegistry } from '../../fixtures/fake-registry.js';

type Ask = (indicators: (() => HealthIndicatorResult)[]) => Promise<object>;

function setUp() {
  const registry = new FakeRegistry();
  registry.set('feed');
  const monitor = new HealthMonitor({ registry, clock: new ManualClock(), intervalMs: 1000, timeoutMs: 1000 });
  const ask = jest.fn<Ask>(async ([indicator]) => {
    const details = indicator?.() ?? {};
    const down = Object.values(details).some(({ status }) => status === 'down');
    if (down) throw new ServiceUnavailableException({ status: 'error', details });
    return { status: 'ok', details };
  });
  const terminus = { check: ask } as unknown as HealthCheckService;
  const memo = new HealthCheckMemo(
    monitor,
    new LifecycleHealthIndicator(monitor, new HealthIndicatorService()),
    terminus,
  );
  const body = async (): Promise<object> => {
    try {
      return await memo.check();
    } catch (error) {
      if (error instanceof ServiceUnavailableException) return error.getResponse() as object;
      throw error;
    }
  };
  return { registry, monitor, ask, body };
}

const failing = () => ({ info: { healthy: false } as const, healthError: new Error('no broker') });

it('asks Terminus once while nothing changes, also while something is down', async () => {
  const { registry, ask, body } = setUp();
  expect(await body()).toEqual(await body());
  expect(ask).toHaveBeenCalledTimes(1);
  registry.set('feed', failing());
  expect(await body()).toMatchObject({ status: 'error' });
  expect(await body()).toMatchObject({ status: 'error' });
  expect(ask).toHaveBeenCalledTimes(2);
});

it('does not take a check that fails again in the same way for a change', async () => {
  const { registry, ask, body } = setUp();
  for (let i = 0; i < 5; i++) {
    registry.set('feed', failing());
    expect(await body()).toMatchObject({ status: 'error' });
  }
  expect(ask).toHaveBeenCalledTimes(1);
});

it('turns at once with what changes', async () => {
  const { registry, body } = setUp();
  expect(await body()).toMatchObject({ status: 'ok' });
  registry.set('feed', failing());
  expect(await body()).toMatchObject({ status: 'error' });
  registry.set('feed');
  expect(await body()).toMatchObject({ status: 'ok' });
});

it('leaves every answer to Terminus once the app shuts down', async () => {
  const { monitor, ask, body } = setUp();
  await body();
  monitor.markStopping();
  await body();
  await body();
  expect(ask).toHaveBeenCalledTimes(3);
});

it('does not remember what a reader adds to an answer', async () => {
  const { registry, body } = setUp();
  Object.assign(await body(), { added: true });
  expect(await body()).not.toHaveProperty('added');
  registry.set('feed', failing());
  Object.assign(await body(), { added: true });
  expect(await body()).not.toHaveProperty('added');
});

it('passes on what is no answer, and asks again', async () => {
  const { ask, body } = setUp();
  ask.mockRejectedValueOnce(new TypeError('a defect'));
  await expect(body()).rejects.toThrow('a defect');
  expect(await body()).toMatchObject({ status: 'ok' });
});
