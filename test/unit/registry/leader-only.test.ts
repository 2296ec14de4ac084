import { describe, expect, it } from '@jest/globals';
import type { StartContext } from '../../../lib/core/component.js';
import { Deferred } from '../../../lib/core/deferred.js';
import { aborted, Fixture, never, STOP_TIMEOUT_MS, watch } from './registry-fixture.js';
import { Leader, standingBy } from './leader-fixture.js';

describe('a leader-only component', () => {
  it('never starts on a replica that never leads', async () => {
    const leader = new Leader();
    const fixture = await standingBy(leader);
    await fixture.start();
    await fixture.clock.advance(100_000);
    await fixture.stop();

    expect(leader.contexts).toEqual([]);
    expect(fixture.path('leader')).toBe('standby stopped');
  });

  it('that failed is tried again in the next term', async () => {
    let starts = 0;
    const start = ({ signal }: StartContext) => (++starts < 3 ? Promise.reject(new Error('no')) : aborted(signal));
    const fixture = new Fixture().add({ name: 'leader', start }, { leaderOnly: true });
    await fixture.start();
    for (let round = 0; round < 3; round++) (await fixture.elect()).end('lost');
    await fixture.clock.settle();

    expect(fixture.path('leader')).toBe(
      'standby starting failed standby starting failed standby starting running stopping standby',
    );
  });

  it('that failed at its stop rests on standby, and the stop names it', async () => {
    const stop = () => Promise.reject(new Error('still writing'));
    const fixture = new Fixture().add({ name: 'leader', start: () => undefined, stop }, { leaderOnly: true });
    await fixture.start();
    const term = await fixture.elect();
    const stopping = watch(fixture.registry.stopLeaderOnlyComponents());
    term.end('lost');
    await fixture.clock.settle();

    expect(stopping.state).toBe('1 component(s) did not stop cleanly: Component "leader" failed: still writing');
    expect(fixture.path('leader')).toBe('standby starting running stopping failed standby');
  });

  it('that finished rests on standby when its term ends', async () => {
    const fixture = new Fixture().add({ name: 'job', start: () => undefined }, { leaderOnly: true, completes: true });
    await fixture.start();
    const term = await fixture.elect();
    expect(fixture.registry.snapshot()[0]).toMatchObject({ completed: true });
    term.end('lost');
    await fixture.clock.settle();

    expect(fixture.path('job')).toBe('standby starting stopped standby');
    expect(fixture.registry.snapshot()[0]).toMatchObject({ completed: true, failedForGood: false });
  });

  it('does not start under a term that is past its deadline, though nobody has noticed', async () => {
    const control = new AbortController();
    let valid = true;
    const term = {
      election: 'default',
      identity: 'me',
      fencingToken: 1n,
      signal: control.signal,
      isValid: () => {
        if (!valid) control.abort(new Error('past its deadline'));
        return valid;
      },
      assertValid: () => undefined,
    };
    let starts = 0;
    const fixture = new Fixture().add(
      { name: 'leader', start: () => (++starts, Promise.reject(new Error('no'))) },
      { leaderOnly: true, restart: 'on-failure' },
    );
    await fixture.start();
    void fixture.registry.startLeaderOnlyComponentsAsync(term);
    await fixture.clock.settle();
    expect(starts).toBe(1);
    valid = false;
    await fixture.clock.advance(1000);

    expect(starts).toBe(1);
    expect(fixture.path('leader')).toBe('standby starting failed standby');
  });
});

describe('startAll()', () => {
  it('never demotes a leader', async () => {
    const leader = new Leader();
    const fixture = await standingBy(leader);
    await fixture.elect();
    await fixture.start();

    expect(fixture.path('leader')).toBe('standby starting running');
  });

  it('gives a component that failed under a term another try under it', async () => {
    let starts = 0;
    const terms: unknown[] = [];
    const start = ({ signal, term }: StartContext) => {
      terms.push(term);
      return ++starts === 1 ? Promise.reject(new Error('no')) : aborted(signal);
    };
    const fixture = new Fixture().add({ name: 'leader', start }, { leaderOnly: true });
    await fixture.start();
    const term = await fixture.elect();
    await fixture.start();

    expect(fixture.path('leader')).toBe('standby starting failed starting running');
    expect(terms).toEqual([term, term]);
  });

  it.each<[string, boolean | ((election: string) => boolean)]>([
    ['true', true],
    ['a function', (election) => election === 'orders'],
  ])('starts leader-only components when this replica leads, says %s', async (_, isLeader) => {
    const fixture = new Fixture().worker('orders', { leaderOnly: true, election: 'orders' });
    await fixture.start(isLeader);
    expect(fixture.path('orders')).toBe('starting running');
    await fixture.registry.stopLeaderOnlyComponents('orders');

    expect(fixture.path('orders')).toBe('starting running stopping standby');
  });

  it('asks about each election once, before it starts anything', async () => {
    const asked: string[] = [];
    const fixture = new Fixture()
      .worker('all')
      .worker('a', { leaderOnly: true, election: 'orders' })
      .worker('b', { leaderOnly: true, election: 'orders' })
      .worker('c', { leaderOnly: true, election: 'stock' });
    const starter = await fixture.start((election) => {
      asked.push(election);
      if (election === 'stock') throw new Error('unknown');
      return true;
    });

    expect(asked).toEqual(['orders', 'stock']);
    expect(starter.state).toBe('unknown');
    expect(fixture.events).toEqual([]);
  });

  it('takes a promise for no', async () => {
    const fixture = new Fixture().worker('leader', { leaderOnly: true });
    await fixture.start((() => Promise.resolve(true)) as never);

    expect(fixture.path('leader')).toBe('standby');
  });
});

describe('after a shutdown', () => {
  it('a loss that is noticed late does not bring leader-only components to standby', async () => {
    const fixture = await standingBy(new Leader());
    await fixture.elect();
    await fixture.stop();
    await fixture.registry.stopLeaderOnlyComponents();

    expect(fixture.path('leader')).toBe('standby starting running stopping stopped');
  });

  it('a component that overran it comes to standby when all is started again on a replica that does not lead', async () => {
    const release = new Deferred<void>();
    const fixture = new Fixture().add({ name: 'leader', start: () => release.promise }, { leaderOnly: true });
    await fixture.start();
    await fixture.elect();
    await fixture.stop();
    await fixture.clock.advance(STOP_TIMEOUT_MS);
    await fixture.start();
    release.resolve();
    await fixture.clock.settle();

    expect(fixture.path('leader')).toBe('standby starting running stopping standby');
  });
});

describe('a starter of a term', () => {
  it('takes a plain signal, for which components get no term', async () => {
    const leader = new Leader();
    const fixture = await standingBy(leader);
    const control = new AbortController();
    await fixture.registry.startLeaderOnlyComponentsAsync(control.signal);
    expect(leader.contexts[0]).not.toHaveProperty('term');
    control.abort();
    await fixture.clock.settle();

    expect(fixture.path('leader')).toBe('standby starting running stopping standby');
  });

  it('starts nothing twice when it is called again for the same term', async () => {
    const leader = new Leader();
    const fixture = await standingBy(leader);
    const term = await fixture.elect();
    await fixture.elect(term);

    expect(leader.contexts).toHaveLength(1);
    term.end('lost');
    await fixture.clock.settle();
    expect(fixture.status('leader')).toBe('standby');
  });

  it('works without startAll()', async () => {
    const fixture = new Fixture().worker('leader', { leaderOnly: true }).worker('all');
    const term = await fixture.elect();
    expect(fixture.path('leader')).toBe('starting running');
    term.end('lost');
    await fixture.clock.settle();

    expect(fixture.path('leader')).toBe('starting running stopping standby');
    expect(fixture.path('all')).toBe('');
  });

  it('has a run whose end is the end of its components, also when they hang', async () => {
    const fixture = new Fixture()
      .worker('fine', { leaderOnly: true })
      .add({ name: 'stuck', start: never }, { leaderOnly: true });
    await fixture.start();
    const term = fixture.term();
    const run = await fixture.registry.startLeaderOnlyComponentsAsync(term);
    const done = watch(run.done);
    term.end('lost');
    await fixture.clock.advance(10 * STOP_TIMEOUT_MS);

    expect(fixture.status('fine')).toBe('standby');
    expect(done.state).toBe('pending');
  });
});
