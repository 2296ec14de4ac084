import { describe, expect, it } from '@jest/globals';
import { StopFailedError, StopTimeoutError } from '../../../lib/core/errors.js';
import { Fixture, never, STOP_TIMEOUT_MS } from './registry-fixture.js';

/** api -> cache -> db, and a bystander. */
function stack(options: { leaderOnly?: boolean } = {}): Fixture {
  return new Fixture()
    .service('db', { stopMs: 10, ...options })
    .service('cache', { stopMs: 10, dependsOn: ['db'], ...options })
    .service('api', { stopMs: 10, dependsOn: ['cache'], ...options })
    .service('bystander', { stopMs: 10, ...options });
}

const DEPENDENTS_FIRST = [
  'bystander stops',
  'api stops',
  'bystander is down',
  'api is down',
  'cache stops',
  'cache is down',
  'db stops',
  'db is down',
];

describe('a stop', () => {
  it('ends dependents before their dependencies, and independent ones at once', async () => {
    const fixture = stack();
    await fixture.start();
    fixture.journal.length = 0;
    const stopping = await fixture.stop();
    await fixture.clock.advance(30);

    expect(fixture.journal).toEqual(DEPENDENTS_FIRST);
    expect(stopping.state).toBe('resolved');
  });

  it('has the same order when the signal of the start aborts', async () => {
    const fixture = stack();
    await fixture.start();
    fixture.journal.length = 0;
    fixture.lifetime.abort();
    await fixture.clock.advance(30);

    expect(fixture.journal).toEqual(DEPENDENTS_FIRST);
    for (const name of ['db', 'cache', 'api', 'bystander']) expect(fixture.status(name)).toBe('stopped');
  });

  it('has the same order when a term ends', async () => {
    const fixture = stack({ leaderOnly: true });
    await fixture.start();
    const term = await fixture.elect();
    fixture.journal.length = 0;
    term.end('lost');
    await fixture.clock.advance(30);

    expect(fixture.journal).toEqual(DEPENDENTS_FIRST);
    for (const name of ['db', 'cache', 'api', 'bystander']) expect(fixture.status(name)).toBe('standby');
  });

  it('waits across a disabled component', async () => {
    const fixture = new Fixture()
      .service('db')
      .service('cache', { dependsOn: ['db'], enabled: false })
      .service('api', { dependsOn: ['cache'], stopMs: 10 });
    await fixture.start();
    fixture.journal.length = 0;
    await fixture.stop();
    await fixture.clock.advance(10);

    expect(fixture.journal).toEqual(['api stops', 'api is down', 'db stops', 'db is down']);
  });

  it('waits for the leader-only dependents of an all-replica component', async () => {
    const fixture = new Fixture().service('db').service('leader', { leaderOnly: true, dependsOn: ['db'], stopMs: 10 });
    await fixture.start();
    await fixture.elect();
    fixture.journal.length = 0;
    await fixture.stop();
    await fixture.clock.advance(10);

    expect(fixture.journal).toEqual(['leader stops', 'leader is down', 'db stops', 'db is down']);
    expect(fixture.path('leader')).toBe('standby starting running stopping stopped');
  });

  it('ends one that is started again meanwhile only once its dependents have settled', async () => {
    const fixture = stack();
    await fixture.start();
    fixture.journal.length = 0;
    await fixture.stop();
    await fixture.start();
    await fixture.clock.advance(30);

    expect(fixture.journal.filter((line) => /db|cache/.test(line))).toEqual([
      'cache stops',
      'cache is down',
      'db stops',
      'db is down',
      'db starts',
      'db is up',
      'cache starts',
      'cache is up',
    ]);
    for (const name of ['db', 'cache', 'api', 'bystander']) expect(fixture.status(name)).toBe('running');
  });

  it('keeps its order after a component was refused', async () => {
    const fixture = new Fixture().service('api', { dependsOn: ['db'], stopMs: 10 }).service('db');
    await fixture.start();
    expect(() => fixture.worker('late', { dependsOn: ['nobody'] })).toThrow(/not registered/);
    fixture.journal.length = 0;
    await fixture.stop();
    await fixture.clock.advance(10);

    expect(fixture.journal).toEqual(['api stops', 'api is down', 'db stops', 'db is down']);
  });

  it('keeps its order when it is asked for again after a component was added', async () => {
    const fixture = new Fixture().service('api', { dependsOn: ['db'], stopMs: 10 }).service('db');
    await fixture.start();
    fixture.journal.length = 0;
    const first = await fixture.stop();
    fixture.worker('late');
    const second = await fixture.stop();
    expect(fixture.journal).toEqual(['api stops']);
    expect(fixture.status('late')).toBe('stopped');
    await fixture.clock.advance(10);

    expect(fixture.journal).toEqual(['api stops', 'api is down', 'db stops', 'db is down']);
    expect([first.state, second.state]).toEqual(['resolved', 'resolved']);
  });
});

describe('stops that overlap', () => {
  it('wait for the same stop, and each component is stopped once', async () => {
    const fixture = stack();
    await fixture.start();
    fixture.journal.length = 0;
    const first = await fixture.stop();
    fixture.lifetime.abort();
    await fixture.clock.advance(5);
    const second = await fixture.stop();
    await fixture.clock.advance(24);
    expect([first.state, second.state]).toEqual(['pending', 'pending']);
    await fixture.clock.advance(1);

    expect([first.state, second.state]).toEqual(['resolved', 'resolved']);
    expect(fixture.journal).toEqual(DEPENDENTS_FIRST);
  });

  it('report an overrunner once, and both name it', async () => {
    const fixture = new Fixture().add({ name: 'stuck', start: never });
    await fixture.start();
    const first = await fixture.stop();
    await fixture.clock.advance(50);
    const second = await fixture.stop();
    await fixture.clock.advance(STOP_TIMEOUT_MS);

    expect((first.error as StopFailedError).errors).toEqual([expect.any(StopTimeoutError)]);
    expect((second.error as StopFailedError).errors).toEqual((first.error as StopFailedError).errors);
    expect(fixture.failures).toHaveLength(1);
    expect(fixture.log.filter((line) => line.startsWith('error:'))).toHaveLength(1);
  });

  it('leave what rests at rest', async () => {
    const fixture = stack({ leaderOnly: true });
    await fixture.start();
    await fixture.stop();
    const paths = ['db', 'cache', 'api'].map((name) => fixture.path(name));
    await fixture.stop();
    await fixture.registry.stopLeaderOnlyComponents();

    expect(paths).toEqual(['standby stopped', 'standby stopped', 'standby stopped']);
    expect(['db', 'cache', 'api'].map((name) => fixture.path(name))).toEqual(paths);
  });
});

describe('before anything was started', () => {
  it('a stop brings what is registered to rest', async () => {
    const fixture = new Fixture()
      .worker('feed', { dependsOn: ['db'] })
      .worker('db')
      .worker('leader', { leaderOnly: true });
    expect((await fixture.stop()).state).toBe('resolved');

    expect(Object.values(fixture.registry.status()).map((it) => it.status)).toEqual(['stopped', 'stopped', 'stopped']);
  });

  it('a stop of what could never be started is no error', async () => {
    const fixture = new Fixture().worker('feed', { dependsOn: ['nobody'] });

    expect((await fixture.stop()).state).toBe('resolved');
    expect(fixture.status('feed')).toBe('stopped');
  });
});
