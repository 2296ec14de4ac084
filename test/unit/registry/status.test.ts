import { describe, expect, it } from '@jest/globals';
import { Registry } from '../../../lib/registry/registry.js';
import { aborted, Fixture } from './registry-fixture.js';

describe('status()', () => {
  it('tells of each component by name, in order of registration, and leaves out what has no value', async () => {
    const fixture = new Fixture()
      .worker('feed', { criticality: 'degradable' })
      .worker('reconciler', { leaderOnly: true, election: 'orders' });
    await fixture.clock.advance(5);
    await fixture.start();

    expect(Object.entries(fixture.registry.status())).toEqual([
      ['feed', { name: 'feed', status: 'running', since: 1_700_000_000_005, restarts: 0, criticality: 'degradable' }],
      [
        'reconciler',
        {
          name: 'reconciler',
          status: 'standby',
          leaderOnly: true,
          election: 'orders',
          since: 1_700_000_000_005,
          restarts: 0,
          criticality: 'critical',
        },
      ],
    ]);
  });

  it('is an object without a prototype, so that no name means anything else', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'status', 'then'];
    const fixture = new Fixture();
    for (const name of names) fixture.worker(name);
    await fixture.start();
    const status = fixture.registry.status();

    expect(Object.getPrototypeOf(status)).toBeNull();
    expect(Object.keys(status)).toEqual(names);
    for (const name of names) expect(status[name]).toMatchObject({ name, status: 'running' });
    expect(new Registry().status()['toString']).toBeUndefined();
  });

  it('is a new object each time, whose infos are frozen and the same while nothing has changed', async () => {
    const fixture = new Fixture().worker('feed').worker('other', { dependsOn: ['feed'] });
    await fixture.start();
    fixture.recordHealth('feed');
    const before = fixture.registry.status();
    fixture.recordHealth('feed');
    await fixture.clock.advance(1000);
    await fixture.start();
    const after = fixture.registry.status();

    expect(after).not.toBe(before);
    expect(after['feed']).toBe(before['feed']);
    expect(after['other']).toBe(before['other']);
    expect(Object.isFrozen(after['feed'])).toBe(true);
    fixture.recordHealth('feed', new Error('sick'));
    expect(fixture.info('feed')).not.toBe(before['feed']);
    expect(before['feed']).toMatchObject({ healthy: true });
    expect(fixture.info('other')).toBe(before['other']);
  });

  it('is not changed by a caller that changes what it got', () => {
    const fixture = new Fixture().worker('feed');
    delete fixture.registry.status()['feed'];

    expect(fixture.status('feed')).toBe('pending');
  });

  it('runs no code of components, of what they threw, or of their clock', async () => {
    const read: string[] = [];
    const spied = <T extends object>(name: string, target: T): T =>
      new Proxy(target, {
        get: (it, key, receiver) => {
          read.push(`${name}.${String(key)}`);
          return Reflect.get(it, key, receiver) as unknown;
        },
      });
    const error = spied('error', { message: 'boom' });
    const clock = {
      now: () => (read.push('now'), 0),
      wallNow: () => (read.push('wallNow'), 0),
      setTimer: () => () => undefined,
    };
    const registry = new Registry({ clock });
    registry.register(spied('failed', { name: 'failed', start: () => Promise.reject(error) }));
    registry.register(spied('running', { name: 'running', start: () => undefined, stop: () => undefined }));
    await registry.startAll(new AbortController().signal, false);
    await new Promise((resolve) => void setImmediate(resolve));
    read.length = 0;

    expect(registry.status()).toMatchObject({ failed: { error: 'boom' }, running: { status: 'running' } });
    expect(registry.snapshot()).toHaveLength(2);
    expect(read).toEqual([]);
  });

  it('says running only once start was entered, and starting while it is in it', async () => {
    const seen: string[] = [];
    const fixture: Fixture = new Fixture().add({
      name: 'feed',
      start: () => void seen.push(fixture.status('feed')),
      stop: () => void seen.push(fixture.status('feed')),
    });
    await fixture.start();
    await fixture.stop();

    expect(seen).toEqual(['starting', 'stopping']);
  });
});

describe('an event', () => {
  it('is published after the change: a listener that asks sees it, of all components', async () => {
    const fixture = new Fixture().worker('feed').worker('api', { dependsOn: ['feed'] });
    const seen: string[] = [];
    fixture.onEvent = ({ name, to }) => {
      const status = fixture.registry.status();
      expect(status[name]).toMatchObject({ status: to });
      seen.push(`${status['feed']!.status} ${status['api']!.status}`);
    };
    await fixture.start();
    await fixture.stop();

    expect(seen).toEqual([
      'starting pending',
      'running pending',
      'running starting',
      'running running',
      'running stopping',
      'running stopped',
      'stopping stopped',
      'stopped stopped',
    ]);
  });

  it('says what, when, and how long the status before lasted', async () => {
    const fixture = new Fixture().service('feed', { leaderOnly: true, criticality: 'optional', startMs: 30 });
    await fixture.clock.advance(5);
    await fixture.start();
    await fixture.clock.advance(100);
    await fixture.elect();
    await fixture.clock.advance(30);
    const of = { name: 'feed', leaderOnly: true, election: 'default', criticality: 'optional', restarts: 0 };

    expect(fixture.events).toEqual([
      { ...of, from: 'pending', to: 'standby', at: 1_700_000_000_005, durationMs: 5 },
      { ...of, from: 'standby', to: 'starting', at: 1_700_000_000_105, durationMs: 100 },
      { ...of, from: 'starting', to: 'running', at: 1_700_000_000_135, durationMs: 30 },
    ]);
    expect(fixture.info('feed').since).toBe(1_700_000_000_135);
  });

  it('of an all-replica component names no election', async () => {
    const fixture = new Fixture().worker('feed');
    await fixture.start();

    expect(fixture.events[0]).toEqual({
      name: 'feed',
      from: 'pending',
      to: 'starting',
      at: 1_700_000_000_000,
      durationMs: 0,
      leaderOnly: false,
      criticality: 'critical',
      restarts: 0,
    });
  });

  it('is logged as one line that a person can read', async () => {
    const fixture = new Fixture().service('feed', { startMs: 12, stopMs: 7 }).worker('leader', { leaderOnly: true });
    await fixture.start();
    await fixture.clock.advance(12);
    await fixture.stop();
    await fixture.clock.advance(7);

    expect(fixture.log).toEqual([
      'log: leader stands by (election "default")',
      'log: feed is running (ready after 12 ms)',
      'log: feed stopped (took 7 ms)',
    ]);
  });
});

describe('a registry', () => {
  it('has the names of the Go package', async () => {
    const registry = new Registry();
    registry.register({ name: 'feed', start: ({ signal }) => aborted(signal) });
    registry.register({ name: 'leader', start: ({ signal }) => aborted(signal) }, { leaderOnly: true });
    const lifetime = new AbortController();

    expect(registry.count()).toBe(2);
    expect(registry.withLogger({ log: () => undefined, warn: () => undefined, error: () => undefined })).toBe(registry);
    const all = await registry.startAll(lifetime.signal, false);
    const leaders = await registry.startLeaderOnlyComponentsAsync(lifetime.signal);
    expect(Object.values(registry.status()).map(({ status }) => status)).toEqual(['running', 'running']);
    lifetime.abort();
    await expect(Promise.all([all.done, leaders.done])).resolves.toBeDefined();
  });

  it('counts what is enabled', () => {
    const fixture = new Fixture().worker('a').worker('b', { enabled: false });

    expect(fixture.registry.count()).toBe(1);
    expect(Object.keys(fixture.registry.status())).toEqual(['a']);
    expect(new Registry().count()).toBe(0);
  });

  it('names the elections of its leader-only components once each', () => {
    const fixture = new Fixture()
      .worker('a', { leaderOnly: true })
      .worker('b', { leaderOnly: true, election: 'orders' })
      .worker('c', { leaderOnly: true, election: 'orders' })
      .worker('d')
      .worker('e', { leaderOnly: true, election: 'off', enabled: false });

    expect(fixture.registry.elections()).toEqual(['default', 'orders']);
  });

  it('tells when nothing of any run is left', async () => {
    const fixture = new Fixture().service('leader', { leaderOnly: true, stopMs: 500 }).worker('all');
    await fixture.start();
    const term = await fixture.elect();
    term.end('lost');
    let settled = false;
    void fixture.registry.whenSettled('default').then(() => (settled = true));
    await fixture.clock.advance(499);
    expect(settled).toBe(false);
    await fixture.clock.advance(1);

    expect(settled).toBe(true);
    await expect(fixture.registry.whenSettled('nobody')).resolves.toBeUndefined();
  });
});
