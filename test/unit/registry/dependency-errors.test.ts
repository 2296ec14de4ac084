import { describe, expect, it } from '@jest/globals';
import { DependencyCycleError, InvalidDependencyError, UnknownDependencyError } from '../../../lib/core/errors.js';
import { Fixture } from './registry-fixture.js';

async function refusal(fixture: Fixture): Promise<unknown> {
  const starter = await fixture.start();
  expect(fixture.events).toEqual([]);
  return starter.error;
}

describe('a start is refused, before anything has started', () => {
  it('when a component depends on one that nobody registered', async () => {
    const error = await refusal(new Fixture().worker('feed', { dependsOn: ['bd'] }).worker('db'));

    expect(error).toBeInstanceOf(UnknownDependencyError);
    expect(error).toMatchObject({
      code: 'ERR_LIFECYCLE_UNKNOWN_DEPENDENCY',
      component: 'feed',
      dependency: 'bd',
      message:
        'Component "feed" depends on "bd", which is not registered. Registered: "feed", "db". ' +
        'Correct dependsOn, or import the module that provides the dependency.',
    });
  });

  it('when a component depends on a class of which there is no instance', async () => {
    class Broker {}
    const error = await refusal(new Fixture().worker('feed', { dependsOn: [Broker] }));

    expect(error).toMatchObject({ dependency: 'Broker' });
  });

  it.each<[string, Record<string, string[]>, string]>([
    ['two', { a: ['b'], b: ['a'] }, 'a -> b -> a'],
    ['itself', { a: ['a'] }, 'a -> a'],
    ['three, and one outside', { x: ['a'], a: ['b'], b: ['c'], c: ['a'] }, 'a -> b -> c -> a'],
  ])('when components depend on each other in a circle of %s: the path is printed', async (_, graph, path) => {
    const fixture = new Fixture();
    for (const [name, dependsOn] of Object.entries(graph)) fixture.worker(name, { dependsOn });
    const error = await refusal(fixture);

    expect(error).toBeInstanceOf(DependencyCycleError);
    expect(error).toMatchObject({
      path: path.split(' -> '),
      message: `Components depend on each other in a circle: ${path}. Remove one of these dependsOn entries.`,
    });
  });

  it('when the circle leads through a disabled component', async () => {
    const fixture = new Fixture().worker('a', { dependsOn: ['b'] }).worker('b', { dependsOn: ['a'], enabled: false });

    expect(await refusal(fixture)).toMatchObject({ path: ['a', 'b', 'a'] });
  });

  it('when an all-replica component depends on a leader-only one', async () => {
    const error = await refusal(
      new Fixture().worker('feed', { dependsOn: ['leader'] }).worker('leader', { leaderOnly: true }),
    );

    expect(error).toBeInstanceOf(InvalidDependencyError);
    expect(error).toMatchObject({
      message:
        'Component "feed" runs on every replica but depends on "leader", which runs only on the leader of election ' +
        '"default". Make "feed" leader-only too, or remove the dependency.',
    });
  });

  it('when it does so across a disabled one', async () => {
    const fixture = new Fixture()
      .worker('feed', { dependsOn: ['cache'] })
      .worker('cache', { dependsOn: ['leader'], enabled: false })
      .worker('leader', { leaderOnly: true });

    expect(await refusal(fixture)).toBeInstanceOf(InvalidDependencyError);
  });

  it('when leader-only components of different elections depend on each other', async () => {
    const error = await refusal(
      new Fixture()
        .worker('a', { leaderOnly: true, election: 'orders', dependsOn: ['b'] })
        .worker('b', { leaderOnly: true, election: 'stock' }),
    );

    expect(error).toMatchObject({
      message:
        'Component "a" of election "orders" depends on "b" of election "stock". Different replicas may lead them: ' +
        'give both one election, or remove the dependency.',
    });
  });

  it('of a term as well', async () => {
    const fixture = new Fixture().worker('leader', { leaderOnly: true, dependsOn: ['nobody'] });

    await expect(fixture.registry.startLeaderOnlyComponentsAsync(fixture.term())).rejects.toThrow(
      UnknownDependencyError,
    );
  });
});

describe('a start is not refused', () => {
  it('when a leader-only component depends on all-replica ones and on its own election', async () => {
    const fixture = new Fixture()
      .worker('all')
      .worker('a', { leaderOnly: true, dependsOn: ['all'] })
      .worker('b', { leaderOnly: true, dependsOn: ['a', 'all'] });
    await fixture.start();
    await fixture.elect();

    expect(fixture.status('b')).toBe('running');
  });

  it('when many paths lead to one dependency, however it is named', async () => {
    class Db {}
    const fixture = new Fixture()
      .worker('api', { dependsOn: ['db', 'db', Db, 'left', 'right'] })
      .worker('left', { dependsOn: ['db'] })
      .worker('right', { dependsOn: ['db'] })
      .worker('db', { providedAs: Db });
    await fixture.start();

    expect(fixture.status('api')).toBe('running');
  });

  it('after what was wrong has been put right', async () => {
    const fixture = new Fixture().worker('feed', { dependsOn: ['db'] });
    expect((await fixture.start()).error).toBeInstanceOf(UnknownDependencyError);
    fixture.worker('db');
    await fixture.start();

    expect(fixture.status('feed')).toBe('running');
  });
});
