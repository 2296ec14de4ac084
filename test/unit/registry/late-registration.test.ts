import { describe, expect, it } from '@jest/globals';
import { DependencyCycleError, InvalidDependencyError, UnknownDependencyError } from '../../../lib/core/errors.js';
import type { Component, StartContext } from '../../../lib/core/component.js';
import { currentRunContext } from '../../../lib/core/run-context.js';
import { aborted, Fixture } from './registry-fixture.js';

describe('a component that is registered after the start', () => {
  it('starts at once when it runs on every replica', async () => {
    const fixture = new Fixture();
    await fixture.start();
    fixture.worker('late');
    expect(fixture.status('late')).toBe('pending');
    await fixture.clock.settle();

    expect(fixture.path('late')).toBe('starting running');
    await fixture.stop();
    expect(fixture.status('late')).toBe('stopped');
  });

  it('waits for its dependencies, and stops before them', async () => {
    const fixture = new Fixture().service('db', { startMs: 10 });
    await fixture.start();
    fixture.service('late', { dependsOn: ['db'], stopMs: 10 });
    await fixture.clock.advance(10);
    await fixture.stop();
    await fixture.clock.advance(10);

    expect(fixture.journal).toEqual([
      'db starts',
      'db is up',
      'late starts',
      'late is up',
      'late stops',
      'late is down',
      'db stops',
      'db is down',
    ]);
  });

  it('stands by when it is leader-only and this replica does not lead', async () => {
    const fixture = new Fixture();
    await fixture.start();
    fixture.worker('late', { leaderOnly: true });
    expect(fixture.status('late')).toBe('standby');
    await fixture.elect();

    expect(fixture.path('late')).toBe('standby starting running');
  });

  it('starts under the term when it is leader-only and this replica leads', async () => {
    const fixture = new Fixture();
    await fixture.start();
    const term = await fixture.elect();
    let given: unknown;
    const start = (context: StartContext) => {
      given = context.term;
      return aborted(context.signal);
    };
    fixture.add({ name: 'late', start }, { leaderOnly: true });
    await fixture.clock.settle();
    expect(given).toBe(term);
    term.end('lost');
    await fixture.clock.settle();

    expect(fixture.path('late')).toBe('starting running stopping standby');
  });

  it.each<[string, boolean | ((election: string) => boolean)]>([
    ['true', true],
    ['a function', () => true],
  ])('starts when the start said by %s that this replica leads', async (_, isLeader) => {
    const fixture = new Fixture();
    await fixture.start(isLeader);
    fixture.worker('late', { leaderOnly: true });
    await fixture.clock.settle();

    expect(fixture.status('late')).toBe('running');
  });

  it.each([['default'], [undefined]])(
    'stands by when leadership has been lost since the start said so (stopped: %s)',
    async (election) => {
      const fixture = new Fixture().worker('early', { leaderOnly: true });
      await fixture.start(true);
      await fixture.registry.stopLeaderOnlyComponents(election);
      fixture.worker('late', { leaderOnly: true });
      await fixture.clock.settle();
      expect(fixture.path('late')).toBe('standby');

      await fixture.elect();
      fixture.worker('later', { leaderOnly: true });
      await fixture.clock.settle();
      expect(fixture.path('later')).toBe('starting running');
    },
  );

  it('still starts for another election when only one has been lost', async () => {
    const fixture = new Fixture();
    await fixture.start(true);
    await fixture.registry.stopLeaderOnlyComponents('orders');
    fixture.worker('orders', { leaderOnly: true, election: 'orders' });
    fixture.worker('stock', { leaderOnly: true, election: 'stock' });
    await fixture.clock.settle();

    expect(fixture.status('orders')).toBe('standby');
    expect(fixture.status('stock')).toBe('running');
  });

  it('is told to leadership, which may have to stand for its election', async () => {
    const elections: string[] = [];
    const fixture = new Fixture();
    fixture.registry.setLeadershipListener({
      onTrouble: () => undefined,
      onLateComponent: (election) => void elections.push(election),
    });
    fixture.worker('early', { leaderOnly: true, election: 'early' });
    await fixture.start();
    fixture.worker('late', { leaderOnly: true, election: 'late' }).worker('all').worker('off', { enabled: false });

    expect(elections).toEqual(['late']);
  });

  it('is not started when it is disabled', async () => {
    const fixture = new Fixture();
    await fixture.start();
    fixture.worker('late', { enabled: false });
    await fixture.clock.settle();

    expect(fixture.events).toEqual([]);
  });

  it('is not started after the stop', async () => {
    const fixture = new Fixture().worker('early');
    await fixture.start();
    const stopping = fixture.registry.stopAll();
    fixture.worker('late');
    await stopping;
    await fixture.clock.settle();

    expect(fixture.path('late')).toBe('');
    await fixture.start();
    expect(fixture.status('late')).toBe('running');
  });

  it('by another one in its start is no part of that one: its own run and errors are outside of it', async () => {
    const contexts = new Map<string, unknown>();
    const fixture = new Fixture();
    const note = (name: string) => () => void contexts.set(name, currentRunContext());
    const parent: Component = {
      name: 'parent',
      start: ({ signal }) => {
        note('parent')();
        fixture.registry.register(
          { name: 'child', start: () => Promise.reject(new Error('no')) },
          { onError: note('onError of child') },
        );
        return aborted(signal);
      },
    };
    fixture.add(parent, { leaderOnly: true });
    await fixture.start();
    const term = await fixture.elect();

    expect(fixture.status('child')).toBe('failed');
    expect(contexts.get('parent')).toEqual({ startedAt: 0, term });
    expect(contexts.get('onError of child')).toBeUndefined();
  });
});

describe('a component that is refused after the start', () => {
  it.each<[string, (fixture: Fixture) => void, new (...args: never[]) => Error]>([
    ['an unknown dependency', (fixture) => fixture.worker('late', { dependsOn: ['nobody'] }), UnknownDependencyError],
    [
      'a dependency on a leader',
      (fixture) => fixture.worker('late', { dependsOn: ['leader'] }),
      InvalidDependencyError,
    ],
    ['a circle', (fixture) => fixture.worker('late', { dependsOn: ['late'] }), DependencyCycleError],
  ])('for %s is not registered, and everything goes on as if it had never been', async (_, add, type) => {
    const fixture = new Fixture().worker('feed').worker('leader', { leaderOnly: true });
    await fixture.start();
    expect(() => add(fixture)).toThrow(type);

    expect(Object.keys(fixture.registry.status())).toEqual(['feed', 'leader']);
    expect(fixture.registry.count()).toBe(2);
    fixture.worker('late');
    await fixture.clock.settle();
    expect(fixture.status('late')).toBe('running');
    await fixture.stop();
    expect(fixture.status('late')).toBe('stopped');
  });

  it('because it would close a circle through a class leaves the links as they were', async () => {
    class Source {}
    class Late extends Source implements Component {
      readonly name = 'late';
      start = ({ signal }: StartContext) => aborted(signal);
    }
    const fixture = new Fixture().worker('sink', { dependsOn: [Source] }).worker('source', { providedAs: Source });
    await fixture.start();

    expect(() => fixture.registry.register(new Late(), { dependsOn: ['sink'] })).toThrow('sink -> late -> sink');
    await fixture.start();
    await fixture.stop();
    expect(fixture.journal).toEqual(['source starts', 'sink starts', 'sink ends', 'source ends']);
  });

  it('because isLeader throws leaves no trace', async () => {
    let broken = false;
    const fixture = new Fixture().worker('feed');
    await fixture.start(() => {
      if (broken) throw new Error('who knows');
      return false;
    });
    broken = true;

    expect(() => fixture.worker('late', { leaderOnly: true, dependsOn: ['feed'] })).toThrow('who knows');
    expect(fixture.registry.count()).toBe(1);
    await fixture.elect();
    expect(fixture.path('late')).toBe('');
    await fixture.stop();
    expect(fixture.path('feed')).toBe('starting running stopping stopped');
  });
});
