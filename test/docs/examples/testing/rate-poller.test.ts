// rate-poller.test.ts
import { startComponent } from 'nestjs-lifecycle/testing';
import { RatePoller } from './rate-poller.js';

test('polls while it leads, and stands by when it does not', async () => {
  const poller = new RatePoller({ next: async () => 1.25 });
  const harness = await startComponent(poller);
  expect(harness.status).toBe('standby');

  await harness.elect();
  expect(harness.status).toBe('running');
  await harness.checkHealth();
  expect(harness.info.healthy).toBe(true);

  await harness.depose();
  expect(harness.status).toBe('standby');
  expect(poller.rates[0]).toBe(1.25);

  await harness.stop();
  expect(harness.transitions).toEqual(['standby', 'starting', 'running', 'stopping', 'standby', 'stopped']);
});

test('fails when the source does', async () => {
  const poller = new RatePoller({ next: () => Promise.reject(new Error('no rates')) });
  const harness = await startComponent(poller);

  await harness.elect();
  await harness.until('failed');

  expect(harness.failures).toEqual([new Error('no rates')]);
  await harness.stop();
});
