import { Test } from '@nestjs/testing';
import { LifecycleModule, Registry } from 'nestjs-lifecycle';
import { startComponent } from 'nestjs-lifecycle/testing';
import { FeedComponent } from './feed.component';

it('runs until it is stopped', async () => {
  const feed = await startComponent(new FeedComponent());
  expect(feed.status).toBe('running');

  await feed.stop();
  expect(feed.transitions).toEqual(['starting', 'running', 'stopping', 'stopped']);
});

it('starts with the app and stops with it', async () => {
  const testing = await Test.createTestingModule({
    imports: [LifecycleModule.forRoot()],
    providers: [FeedComponent],
  })
    .setLogger(false)
    .compile();
  const registry = testing.get(Registry, { strict: false });

  await testing.init();
  expect(registry.status()['FeedComponent']?.status).toBe('running');

  await testing.close();
  expect(registry.status()['FeedComponent']?.status).toBe('stopped');
});
