import { describe, expect, it } from '@jest/globals';
import type { StartContext } from '../../../lib/core/component.js';
import { Deferred } from '../../../lib/core/deferred.js';
import type { ElectionTerm } from '../../../lib/core/election-term.js';
import { PreviousRunUnsettledError } from '../../../lib/core/errors.js';
import { aborted, Fixture, START_TIMEOUT_MS, STOP_TIMEOUT_MS, watch } from './registry-fixture.js';
import { Leader, standingBy } from './leader-fixture.js';

/** Each way in which leadership is lost and had again. */
const CAUSES: readonly [string, (fixture: Fixture, term: ElectionTerm) => Promise<unknown>][] = [
  ['the term ends', async (_, term) => term.end('lost')],
  ['the leader-only components are stopped', (fixture) => fixture.registry.stopLeaderOnlyComponents()],
  ['those of the election are stopped', (fixture) => fixture.registry.stopLeaderOnlyComponents('default')],
  ['a new term begins without the end of the one before', async () => undefined],
  ['all is stopped', (fixture) => fixture.registry.stopAll()],
];

describe.each(CAUSES)('when %s', (_, lose) => {
  it('each term starts every component once, with a context of its own', async () => {
    const leaders = [new Leader('a'), new Leader('b'), new Leader('c')];
    const fixture = await standingBy(...leaders);
    const terms: ElectionTerm[] = [];
    for (let round = 0; round < 4; round++) {
      const term = await fixture.elect();
      terms.push(term);
      expect(leaders.map((it) => fixture.status(it.name))).toEqual(['running', 'running', 'running']);
      expect(leaders.map((it) => it.running)).toEqual([1, 1, 1]);
      await lose(fixture, term);
      await fixture.clock.settle();
    }

    for (const { contexts } of leaders) {
      expect(contexts.map(({ term }) => term)).toEqual(terms);
      expect(new Set(contexts).size).toBe(4);
      expect(new Set(contexts.map(({ signal }) => signal)).size).toBe(4);
    }
  });
});

describe('gained and lost in one tick', () => {
  it('a component is running once after gain, loss and gain', async () => {
    const leaders = [new Leader('a'), new Leader('b')];
    const fixture = await standingBy(...leaders);
    const [first, second] = [fixture.term(), fixture.term()];
    const starters = [watch(fixture.registry.startLeaderOnlyComponentsAsync(first))];
    first.end('lost');
    starters.push(watch(fixture.registry.startLeaderOnlyComponentsAsync(second)));
    await fixture.clock.settle();

    expect(starters.map(({ state }) => state)).toEqual(['resolved', 'resolved']);
    for (const { name, contexts, running } of leaders) {
      expect(fixture.path(name)).toBe('standby starting running');
      expect(contexts.map(({ term }) => term)).toEqual([second]);
      expect(running).toBe(1);
    }
  });

  it('a component that runs is stopped and started again after loss and gain', async () => {
    const leaders = [new Leader('a'), new Leader('b')];
    const fixture = await standingBy(...leaders);
    const first = await fixture.elect();
    first.end('lost');
    const second = await fixture.elect();

    for (const { name, contexts, running } of leaders) {
      expect(fixture.path(name)).toBe('standby starting running stopping standby starting running');
      expect(contexts.map(({ term }) => term)).toEqual([first, second]);
      expect(running).toBe(1);
    }
  });

  it('a component with slow dependents is not left behind by loss and gain', async () => {
    const fixture = new Fixture()
      .service('base', { leaderOnly: true })
      .service('dependent', { leaderOnly: true, dependsOn: ['base'], stopMs: 50 });
    await fixture.start();
    const first = await fixture.elect();
    first.end('lost');
    const second = await fixture.elect();
    expect(fixture.status('base')).toBe('running');
    await fixture.clock.advance(50);

    expect(fixture.path('base')).toBe('standby starting running stopping standby starting running');
    expect(fixture.path('dependent')).toBe('standby starting running stopping standby starting running');
    second.end('lost');
    await fixture.clock.advance(50);
    expect(fixture.status('base')).toBe('standby');
  });

  it('a component whose last term came and went rests on standby', async () => {
    const leader = new Leader();
    const fixture = await standingBy(leader);
    for (const term of [fixture.term(), fixture.term(), fixture.term()]) {
      void fixture.registry.startLeaderOnlyComponentsAsync(term);
      term.end('lost');
    }
    await fixture.clock.settle();

    expect(leader.contexts).toEqual([]);
    expect(fixture.path('leader')).toBe('standby');
  });

  it('a finished dependency that was told of the loss late does not become standby in the next term', async () => {
    const fixture: Fixture = new Fixture()
      .add({ name: 'warm', start: () => fixture.pause(1) }, { leaderOnly: true, completes: true })
      .service('dependent', { leaderOnly: true, dependsOn: ['warm'], stopMs: 50 });
    await fixture.start();
    const first = await fixture.elect();
    await fixture.clock.advance(1);
    first.end('lost');
    await fixture.elect();
    await fixture.clock.advance(49);
    expect(fixture.status('warm')).toBe('stopped');
    await fixture.clock.advance(1);

    expect(fixture.status('warm')).toBe('stopped');
    expect(fixture.status('dependent')).toBe('running');
  });
});

describe('a run that settles late', () => {
  it('holds back the next one, and touches nothing of it', async () => {
    const [release, second] = [new Deferred<void>(), new Deferred<void>()];
    const runs = [release, second];
    const fixture = new Fixture().add({ name: 'leader', start: () => runs.shift()!.promise }, { leaderOnly: true });
    await fixture.start();
    const term = await fixture.elect();
    term.end('lost');
    await fixture.clock.settle();
    await fixture.elect();
    expect(runs).toHaveLength(1);
    expect(fixture.status('leader')).toBe('stopping');

    release.reject(new Error('of the old run'));
    await fixture.clock.settle();
    expect(fixture.path('leader')).toBe('standby starting running stopping failed standby starting running');
    expect(fixture.info('leader')).not.toHaveProperty('error');
    expect(fixture.registry.snapshot()[0]).toMatchObject({ failedForGood: false, overrunning: false });
  });

  it('past the start timeout lets the starter go, says so, and is followed by the next one all the same', async () => {
    const release = new Deferred<void>();
    let starts = 0;
    const start = ({ signal }: StartContext) => (++starts === 1 ? release.promise : aborted(signal));
    const fixture = new Fixture().add({ name: 'leader', start }, { leaderOnly: true });
    await fixture.start();
    const first = await fixture.elect();
    first.end('lost');
    const starter = watch(fixture.registry.startLeaderOnlyComponentsAsync(fixture.term()));
    await fixture.clock.advance(START_TIMEOUT_MS - 1);
    expect(starter.state).toBe('pending');
    await fixture.clock.advance(1);
    expect(starter.state).toBe('resolved');
    expect(fixture.failures.at(-1)!.error).toBeInstanceOf(PreviousRunUnsettledError);
    expect(fixture.log.at(-1)).toMatch(/"leader" has not been started yet: its previous run was told to end/);
    expect(fixture.info('leader')).toMatchObject({
      status: 'stopping',
      error: expect.stringMatching(/has not stopped/),
    });

    release.resolve();
    await fixture.clock.settle();
    expect(starts).toBe(2);
    expect(fixture.status('leader')).toBe('running');
  });

  it('is not followed by another one when the next term has ended meanwhile', async () => {
    const release = new Deferred<void>();
    let starts = 0;
    const fixture = new Fixture().add(
      { name: 'leader', start: () => (++starts, release.promise) },
      { leaderOnly: true },
    );
    await fixture.start();
    for (let round = 0; round < 3; round++) (await fixture.elect()).end('lost');
    await fixture.clock.advance(STOP_TIMEOUT_MS);
    expect(fixture.clock.pending).toBe(0);
    release.resolve();
    await fixture.clock.settle();

    expect(starts).toBe(1);
    expect(fixture.path('leader')).toBe('standby starting running stopping standby');
  });
});

describe('the loss of a term', () => {
  it('aborts the signal of a component without dependents in the same tick', async () => {
    const [base, dependent, single] = [new Leader('base'), new Leader('dependent'), new Leader('single')];
    const fixture = new Fixture()
      .add(base, { leaderOnly: true })
      .add(dependent, { leaderOnly: true, dependsOn: ['base'] })
      .add(single, { leaderOnly: true });
    await fixture.start();
    const term = await fixture.elect();
    term.end('lost');

    expect(single.contexts[0]!.signal.aborted).toBe(true);
    expect(dependent.contexts[0]!.signal.aborted).toBe(true);
    expect(base.contexts[0]!.signal.aborted).toBe(false);
    expect(base.contexts[0]!.term!.signal.aborted).toBe(true);
    await fixture.clock.settle();
    expect(base.contexts[0]!.signal.aborted).toBe(true);
  });

  it('leaves alone what runs on every replica, and other elections', async () => {
    const fixture = new Fixture()
      .worker('all')
      .worker('orders', { leaderOnly: true, election: 'orders' })
      .worker('stock', { leaderOnly: true, election: 'stock' });
    await fixture.start();
    const orders = await fixture.elect(fixture.term('orders'));
    await fixture.elect(fixture.term('stock'));
    orders.end('lost');
    await fixture.clock.settle();

    expect(fixture.path('all')).toBe('starting running');
    expect(fixture.path('orders')).toBe('standby starting running stopping standby');
    expect(fixture.path('stock')).toBe('standby starting running');
  });

  it('of a term that another one has replaced changes nothing', async () => {
    const leader = new Leader();
    const fixture = await standingBy(leader);
    const first = await fixture.elect();
    await fixture.elect();
    first.end('long over');
    await fixture.clock.settle();

    expect(fixture.status('leader')).toBe('running');
    expect(leader.contexts).toHaveLength(2);
  });

  it('during a start is a clean stop', async () => {
    const fixture = new Fixture().service('leader', { leaderOnly: true, startMs: 20 });
    await fixture.start();
    const term = await fixture.elect();
    term.end('lost');
    await fixture.clock.advance(20);

    expect(fixture.path('leader')).toBe('standby starting stopping standby');
    expect(fixture.journal).toEqual(['leader starts', 'leader is up', 'leader stops', 'leader is down']);
  });
});
