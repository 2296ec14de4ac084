// backoff.test.ts
import type { Component, StartContext } from 'nestjs-lifecycle';
import { ManualClock, startComponent } from 'nestjs-lifecycle/testing';

class Feed implements Component {
  context?: StartContext;

  start(context: StartContext): void {
    this.context = context;
  }

  stop(): void {}
}

test('is started again within a second after it broke', async () => {
  const clock = new ManualClock();
  const feed = new Feed();
  const harness = await startComponent(feed, { clock, restart: 'on-failure' });

  feed.context?.fail(new Error('connection reset'));
  await clock.settle();
  expect(harness.status).toBe('failed');

  await clock.advance(1000);
  expect(harness.status).toBe('running');
  expect(harness.info.restarts).toBe(1);

  await harness.stop();
});
