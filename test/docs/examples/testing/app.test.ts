// app.test.ts
import { Test } from '@nestjs/testing';
import { EventBus, Leadership, LifecycleEvent, LifecycleModule, Registry } from 'nestjs-lifecycle';
import { ManualElector } from 'nestjs-lifecycle/testing';
import { RatePoller } from './rate-poller.js';
import { RateSource } from './rate-source.js';

test('runs the poller on the leader', async () => {
  const elector = new ManualElector();
  const module = await Test.createTestingModule({
    imports: [LifecycleModule.forRoot({ elector })],
    providers: [RatePoller, RateSource],
  })
    .overrideProvider(RateSource)
    .useValue({ next: async () => 1.25 })
    .compile();
  const app = await module.init();
  const registry = app.get(Registry);
  const changes = app.get(EventBus).subscribe(LifecycleEvent.ComponentStatus);
  expect(registry.status().RatePoller?.status).toBe('standby');

  const term = await elector.elect();
  for await (const { to } of changes) if (to === 'running') break;
  expect(app.get(Leadership).isLeader()).toBe(true);
  expect(app.get(RatePoller).rates[0]).toBe(1.25);

  await elector.depose();
  expect(term.isValid()).toBe(false);
  expect(registry.status().RatePoller?.status).toBe('standby');

  await app.close();
});
