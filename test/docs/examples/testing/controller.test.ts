// controller.test.ts
import { Test } from '@nestjs/testing';
import { LifecycleModule, Registry } from 'nestjs-lifecycle';
import { RatePoller } from './rate-poller.js';
import { RateSource } from './rate-source.js';

test('components are registered and not started', async () => {
  const module = await Test.createTestingModule({
    imports: [LifecycleModule.forRoot({ autoStart: false })],
    providers: [RatePoller, RateSource],
  }).compile();
  await module.init();

  expect(module.get(Registry).status().RatePoller?.status).toBe('pending');

  await module.close();
});

test('a stand-in without start() is a component that is switched off', async () => {
  const module = await Test.createTestingModule({
    imports: [LifecycleModule.forRoot()],
    providers: [RatePoller, RateSource],
  })
    .overrideProvider(RatePoller)
    .useValue({ rates: [1, 2, 3] })
    .compile();
  await module.init();

  expect(module.get(Registry).count()).toBe(0);

  await module.close();
});
