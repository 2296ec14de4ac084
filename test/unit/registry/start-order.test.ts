import { describe, expect, it } from '@jest/globals';
import type { Component, StartContext, SubscriptionReadySignaler } from '../../../lib/core/component.js';
import { aborted, Fixture } from './registry-fixture.js';

/** Run style: ready after 5 ms, finished after 10. */
function warmingUp(fixture: Fixture): Component & SubscriptionReadySignaler {
  return { name: 'warm', start: () => fixture.pause(10), subscriptionReady: () => fixture.pause(5) };
}

describe('dependencies', () => {
  it('are ready before their dependents start, whatever the order of registration', async () => {
    const fixture = new Fixture()
      .service('api', { dependsOn: ['cache', 'db'], startMs: 5 })
      .service('cache', { dependsOn: ['db'], startMs: 5 })
      .service('db', { startMs: 5 });
    const starter = await fixture.start();
    await fixture.clock.advance(15);

    expect(fixture.journal).toEqual([
      'db starts',
      'db is up',
      'cache starts',
      'cache is up',
      'api starts',
      'api is up',
    ]);
    expect(starter.state).toBe('resolved');
  });

  it('that are independent start at once', async () => {
    const fixture = new Fixture()
      .service('db', { startMs: 10 })
      .service('broker', { startMs: 20 })
      .service('feed', { dependsOn: ['db'], startMs: 10 })
      .service('sink', { dependsOn: ['db', 'broker'] });
    await fixture.start();
    expect(fixture.journal).toEqual(['db starts', 'broker starts']);
    await fixture.clock.advance(10);
    expect(fixture.journal.slice(2)).toEqual(['db is up', 'feed starts']);
    await fixture.clock.advance(10);

    expect(fixture.clock.now()).toBe(20);
    expect(fixture.journal.slice(4).toSorted()).toEqual(['broker is up', 'feed is up', 'sink is up', 'sink starts']);
  });

  it('can be named by class, which stands for every instance and for what was provided as it', async () => {
    abstract class Source {}
    class Kafka extends Source {
      start = ({ signal }: StartContext) => aborted(signal);
    }
    class Token {}
    const fixture = new Fixture()
      .service('sink', { dependsOn: [Source, Token] })
      .add(new Kafka(), { name: 'first' })
      .add(new Kafka(), { name: 'second' })
      .service('by-factory', { startMs: 10, providedAs: Token });
    await fixture.start();
    expect(fixture.journal).toEqual(['by-factory starts']);
    expect(fixture.status('sink')).toBe('pending');
    await fixture.clock.advance(10);

    expect(fixture.status('sink')).toBe('running');
  });

  it('that are disabled are bridged: their dependents wait for their dependencies', async () => {
    const fixture = new Fixture()
      .service('api', { dependsOn: ['cache'] })
      .service('cache', { enabled: false, dependsOn: ['pool'] })
      .service('pool', { enabled: false, dependsOn: ['db'] })
      .service('db', { startMs: 10 });
    const starter = await fixture.start();
    expect(fixture.journal).toEqual(['db starts']);
    await fixture.clock.advance(10);

    expect(fixture.journal).toEqual(['db starts', 'db is up', 'api starts', 'api is up']);
    expect(starter.state).toBe('resolved');
    expect(Object.keys(fixture.registry.status())).toEqual(['api', 'db']);
  });

  it('may have finished by themselves', async () => {
    const fixture: Fixture = new Fixture()
      .add({ name: 'migrations', start: () => fixture.pause(10) }, { completes: true })
      .worker('api', { dependsOn: ['migrations'] })
      .add({ name: 'at-once', start: () => undefined }, { completes: true })
      .worker('other', { dependsOn: ['at-once'] });
    await fixture.start();
    await fixture.clock.advance(10);

    expect(fixture.status('migrations')).toBe('stopped');
    expect(fixture.status('api')).toBe('running');
    expect(fixture.status('other')).toBe('running');
  });

  it('that finished in an earlier life have to become ready again before dependents start', async () => {
    const fixture = new Fixture().service('api', { dependsOn: ['warm'] });
    fixture.add(warmingUp(fixture), { completes: true });
    await fixture.start();
    await fixture.clock.advance(10);
    expect(fixture.path('warm')).toBe('starting running stopped');
    await fixture.stop();
    fixture.journal.length = 0;

    await fixture.start();
    await fixture.clock.advance(4);
    expect(fixture.journal).toEqual([]);
    await fixture.clock.advance(1);
    expect(fixture.journal).toEqual(['api starts', 'api is up']);
  });

  it('that have finished, and wait for their own now, have to finish again before dependents start', async () => {
    let attempts = 0;
    let fail: StartContext['fail'];
    const start = async (context: StartContext) => {
      ({ fail } = context);
      if (++attempts > 1) await fixture.pause(10);
    };
    const fixture: Fixture = new Fixture()
      .add({ name: 'db', start, stop: () => undefined })
      .add({ name: 'seed', start: () => undefined }, { dependsOn: ['db'], completes: true })
      .add({ name: 'api', start: () => void fixture.journal.push('api') }, { dependsOn: ['seed'] });
    await fixture.start();
    fail!(new Error('lost'));
    await fixture.clock.settle();
    fixture.journal.length = 0;

    await fixture.start();
    await fixture.clock.advance(9);
    expect(fixture.journal).toEqual([]);
    await fixture.clock.advance(1);
    expect(fixture.journal).toEqual(['api']);
  });

  it('of a leader-only component have to become ready anew in each term', async () => {
    const fixture = new Fixture().service('leader', { leaderOnly: true, dependsOn: ['warm'] });
    fixture.add(warmingUp(fixture), { leaderOnly: true, completes: true });
    await fixture.start();
    for (let round = 0; round < 4; round++) {
      fixture.journal.length = 0;
      const term = await fixture.elect();
      await fixture.clock.advance(4);
      expect(fixture.journal).toEqual([]);
      await fixture.clock.advance(1);
      expect(fixture.journal).toEqual(['leader starts', 'leader is up']);
      await fixture.clock.advance(5);
      expect(fixture.status('warm')).toBe('stopped');
      term.end('lost');
      await fixture.clock.settle();
    }
  });
});
