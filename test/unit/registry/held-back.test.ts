import { describe, expect, it } from '@jest/globals';
import type { StartContext } from '../../../lib/core/component.js';
import { aborted, Fixture, never, RESTART, START_TIMEOUT_MS, watch } from './registry-fixture.js';

describe('dependents of a failed component', () => {
  const failing = (fixture: Fixture, name: string, message = 'refused') =>
    fixture.add({ name, start: () => Promise.reject(new Error(message)) });

  it('stay pending and name it, and the starter resolves', async () => {
    const fixture = new Fixture();
    failing(fixture, 'db')
      .worker('feed', { dependsOn: ['db'] })
      .worker('bystander');
    const starter = await fixture.start();

    expect(starter.state).toBe('resolved');
    expect(fixture.info('feed')).toMatchObject({ status: 'pending', error: 'waits for "db" (failed: refused)' });
    expect(fixture.status('bystander')).toBe('running');
    expect(fixture.path('feed')).toBe('');
    expect(fixture.failures).toHaveLength(1);
  });

  it('name the one that failed, however far away it is', async () => {
    const fixture = new Fixture();
    failing(fixture, 'db')
      .worker('cache', { dependsOn: ['db'] })
      .worker('feed', { dependsOn: ['cache'] })
      .worker('api', { dependsOn: ['feed', 'cache'] });
    await fixture.start();

    for (const name of ['cache', 'feed', 'api']) {
      expect(fixture.info(name).error).toBe('waits for "db" (failed: refused)');
    }
  });

  it('name all of a few, and count the rest', async () => {
    const fixture = new Fixture();
    for (const name of ['a', 'b', 'c', 'd', 'e']) failing(fixture, name, `no ${name}`);
    fixture.worker('two', { dependsOn: ['a', 'b'] }).worker('five', { dependsOn: ['a', 'b', 'c', 'd', 'e'] });
    await fixture.start();

    expect(fixture.info('two').error).toBe('waits for "a" (failed: no a) and "b" (failed: no b)');
    expect(fixture.info('five').error).toBe(
      'waits for "a" (failed: no a) and "b" (failed: no b) and "c" (failed: no c) and 2 more',
    );
  });

  it('also wait for one that is slow, and say so only about the one that is not coming', async () => {
    const fixture = new Fixture();
    failing(fixture, 'db')
      .service('slow', { startMs: 50 })
      .worker('feed', { dependsOn: ['slow', 'db'] });
    await fixture.start();

    expect(fixture.info('feed').error).toBe('waits for "db" (failed: refused)');
  });

  it('start when it recovers', async () => {
    let attempts = 0;
    const fixture = new Fixture()
      .add(
        {
          name: 'db',
          start: ({ signal }) => (++attempts < 3 ? Promise.reject(new Error('refused')) : aborted(signal)),
        },
        { restart: 'on-failure' },
      )
      .worker('feed', { dependsOn: ['db'] })
      .worker('api', { dependsOn: ['feed'] });
    const starter = await fixture.start();
    expect(starter.state).toBe('resolved');
    await fixture.clock.advance(RESTART.initialDelayMs * 3);

    expect(fixture.path('db')).toBe('starting failed starting failed starting running');
    expect(fixture.path('api')).toBe('starting running');
    expect(fixture.info('api')).not.toHaveProperty('error');
  });

  it('start when it is started again by hand', async () => {
    let broken = true;
    const fixture = new Fixture()
      .add({ name: 'db', start: ({ signal }) => (broken ? Promise.reject(new Error('no')) : aborted(signal)) })
      .worker('feed', { dependsOn: ['db'] });
    await fixture.start();
    broken = false;
    await fixture.start();

    expect(fixture.path('db')).toBe('starting failed starting running');
    expect(fixture.path('feed')).toBe('starting running');
  });

  it('come to rest without their reason when all is stopped', async () => {
    const fixture = new Fixture();
    failing(fixture, 'db')
      .worker('feed', { dependsOn: ['db'] })
      .worker('leader', { leaderOnly: true, dependsOn: ['db'] });
    await fixture.start();
    const term = await fixture.elect();
    expect(fixture.info('leader')).toMatchObject({ status: 'standby', error: 'waits for "db" (failed: refused)' });
    term.end('lost');
    await fixture.clock.settle();
    expect(fixture.info('leader')).not.toHaveProperty('error');

    await fixture.stop();
    expect(fixture.path('feed')).toBe('stopped');
    expect(fixture.info('feed')).not.toHaveProperty('error');
    expect(fixture.info('db')).toMatchObject({ status: 'failed', error: 'refused' });
  });

  it('keep running when it fails later', async () => {
    let fail: StartContext['fail'];
    const fixture = new Fixture()
      .add({ name: 'db', start: (context) => void ({ fail } = context), stop: () => undefined })
      .worker('feed', { dependsOn: ['db'] });
    await fixture.start();
    fail!(new Error('connection lost'));
    await fixture.clock.settle();

    expect(fixture.status('db')).toBe('failed');
    expect(fixture.status('feed')).toBe('running');
  });

  it('wait for it when they are restarted meanwhile, and keep their own error', async () => {
    const fails = new Map<string, StartContext['fail']>();
    const service = (name: string) => ({
      name,
      start: ({ fail }: StartContext) => void fails.set(name, fail),
      stop: () => undefined,
    });
    const fixture = new Fixture().add(service('db')).add(service('feed'), { dependsOn: ['db'], restart: 'on-failure' });
    await fixture.start();
    fails.get('db')!(new Error('connection lost'));
    fails.get('feed')!(new Error('no connection'));
    await fixture.clock.advance(1000);
    expect(fixture.info('feed')).toMatchObject({ status: 'failed', error: 'no connection' });

    await fixture.start();
    expect(fixture.path('feed')).toBe('starting running failed starting running');
  });
});

describe('a dependency that is not there for long', () => {
  it('that times out holds its dependents back, and no longer', async () => {
    const fixture = new Fixture()
      .add({ name: 'db', start: never, stop: () => undefined })
      .worker('feed', { dependsOn: ['db'] });
    const starter = await fixture.start();
    await fixture.clock.advance(START_TIMEOUT_MS);

    expect(starter.state).toBe('resolved');
    expect(fixture.info('feed').error).toMatch(/^waits for "db" \(failed: Component "db" was not ready after 1000 ms/);
  });

  it('that was stopped while it was held back is named itself', async () => {
    const fixture = new Fixture()
      .add({ name: 'db', start: () => Promise.reject(new Error('refused')) })
      .worker('cache', { dependsOn: ['db'] })
      .worker('leader', { leaderOnly: true, dependsOn: ['cache'] });
    await fixture.start();
    await fixture.stop();
    await fixture.elect();

    expect(fixture.info('leader').error).toBe('waits for "cache" (stopped)');
  });

  it('that nobody asked to run is named', async () => {
    const fixture = new Fixture().worker('db').worker('leader', { leaderOnly: true, dependsOn: ['db'] });
    const starter = watch(fixture.registry.startLeaderOnlyComponentsAsync(fixture.term()));
    await fixture.clock.settle();
    expect(starter.state).toBe('resolved');
    expect(fixture.info('leader')).toMatchObject({ status: 'pending', error: 'waits for "db" (pending)' });

    await fixture.start();
    expect(fixture.status('leader')).toBe('running');
  });
});
