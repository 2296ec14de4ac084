import { expect, test } from '@jest/globals';
import { untilAborted } from '../../../lib/core/abort.js';
import type { Candidate, Elector } from '../../../lib/core/elector.js';
import { HealthMonitor } from '../../../lib/health/health-monitor.js';
import { Replica } from './leadership-fixtures.js';

/** Promises a report a second, and gives one when the test says so. */
class ReportingElector implements Elector {
  readonly reportsWithinMs = 1000;
  candidate: Candidate | undefined;
  ignoresTheEnd = false;

  async campaign(_election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    this.candidate = candidate;
    await untilAborted(signal);
    if (this.ignoresTheEnd) await new Promise(() => undefined);
  }
}

async function boot(elector: Elector) {
  const replica = await new Replica({ elector }).boot();
  const { registry, leadership, clock } = replica;
  const health = new HealthMonitor({ registry, leadership, clock, intervalMs: 1000, timeoutMs: 1000 });
  return { replica, clock, leadership, health };
}

const stuck = (how: string) => ({ ok: false, reasons: [`election "default" is stuck: ${how}`] });

test('fails liveness when the elector is silent for longer than it promised and the tolerance', async () => {
  const { clock, health, leadership } = await boot(new ReportingElector());

  await clock.advance(1500);
  expect(health.live().ok).toBe(true);
  await clock.advance(1);
  expect(health.live()).toEqual(stuck('the elector has done nothing for more than 1500 ms'));
  expect(health.elections()).toMatchObject([{ level: 'down', role: 'standby' }]);
  expect(health.elections()).toBe(health.elections());
  await leadership.stop();
});

test('passes liveness again after the loop has gone on', async () => {
  const elector = new ReportingElector();
  const { clock, health, leadership } = await boot(elector);
  await clock.advance(5000);
  expect(health.live().ok).toBe(false);

  elector.candidate?.onReport({ kind: 'attempt', won: false, latencyMs: 1 });

  expect(health.live()).toEqual({ ok: true, reasons: [] });
  expect(health.elections()).toMatchObject([{ level: 'up' }]);
  await leadership.stop();
});

test('never fails liveness for an engine that is down: the loop goes round and says so', async () => {
  const elector = new ReportingElector();
  const { clock, health, leadership } = await boot(elector);

  for (let second = 0; second < 100; second++) {
    await clock.advance(1000);
    elector.candidate?.onReport({ kind: 'error', operation: 'read', error: new Error('ECONNREFUSED') });
    expect(health.live().ok).toBe(true);
  }
  expect(health.elections()).toMatchObject([{ level: 'degraded' }]);
  await leadership.stop();
});

test('is not wedged while it rests between two campaigns', async () => {
  const elector: Elector = { reportsWithinMs: 1000, campaign: () => Promise.reject(new Error('refused')) };
  const { clock, health, leadership } = await boot(elector);

  await clock.advance(20_000);

  expect(health.live().ok).toBe(true);
  await leadership.stop();
});

test('an elector that promises nothing is never wedged by its silence', async () => {
  const { clock, health, leadership } = await boot({
    campaign: (_election, _candidate, signal) => untilAborted(signal),
  });

  await clock.advance(1_000_000);

  expect(health.live().ok).toBe(true);
  await leadership.stop();
});

test('fails liveness when the elector does not end a campaign that it was told to end', async () => {
  const elector = new ReportingElector();
  elector.ignoresTheEnd = true;
  const { clock, health, leadership } = await boot(elector);

  void leadership.stop();
  elector.candidate?.onReport({ kind: 'renewal', latencyMs: 1, deadlineInMs: 1 });
  await clock.advance(10_000);

  expect(health.live()).toEqual(stuck('the elector does not end its campaign'));
});
