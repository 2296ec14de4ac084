import { describe, expect, it } from '@jest/globals';
import type { StartContext } from '../../../lib/core/component.js';
import type { Status } from '../../../lib/core/status.js';
import type { ElectionTerm } from '../../../lib/core/election-term.js';
import { aborted, Fixture, STOP_TIMEOUT_MS, watch, type Watched } from './registry-fixture.js';

/** Calls back into the registry in the middle of the first event of a kind. */
function once(fixture: Fixture, name: string, to: Status, act: () => void): void {
  let done = false;
  fixture.onEvent = (event) => {
    if (done || event.name !== name || event.to !== to) return;
    done = true;
    act();
  };
}

describe('a listener that stops all', () => {
  it('when a component is starting keeps its start from being entered', async () => {
    const fixture = new Fixture().worker('feed').worker('other');
    let stopping: Watched<void> | undefined;
    once(fixture, 'feed', 'starting', () => (stopping = watch(fixture.registry.stopAll())));
    const starter = await fixture.start();

    expect(starter.state).toBe('resolved');
    expect(stopping!.state).toBe('resolved');
    expect(fixture.journal).toEqual([]);
    expect(fixture.path('feed')).toBe('starting stopping stopped');
    expect(fixture.path('other')).toBe('stopped');
  });

  it('when a component with running dependents is starting again ends those first', async () => {
    let fail: StartContext['fail'];
    const fixture = new Fixture()
      .add({ name: 'db', start: (context) => void ({ fail } = context), stop: () => undefined }, { restart: 'always' })
      .service('api', { dependsOn: ['db'], stopMs: 20 });
    await fixture.start();
    fail!(new Error('lost'));
    await fixture.clock.settle();
    once(fixture, 'db', 'starting', () => void fixture.registry.stopAll());
    await fixture.clock.advance(STOP_TIMEOUT_MS);

    expect(fixture.path('api')).toBe('starting running stopping stopped');
    expect(fixture.path('db')).toBe('starting running failed starting stopping stopped');
  });

  it('when a component is running ends it', async () => {
    const fixture = new Fixture().worker('feed');
    once(fixture, 'feed', 'running', () => void fixture.registry.stopAll());
    await fixture.start();

    expect(fixture.path('feed')).toBe('starting running stopping stopped');
  });

  it.each(['event', 'onError'])(
    'by its %s when a component has failed for good does not hide the failure',
    async (where) => {
      const fixture = new Fixture();
      const stopAll = () => void fixture.registry.stopAll();
      const start = () => Promise.reject(new Error('boom'));
      fixture.add({ name: 'feed', start }, where === 'onError' ? { onError: stopAll } : {});
      if (where === 'event') once(fixture, 'feed', 'failed', stopAll);
      const starter = await fixture.start();

      expect(fixture.path('feed')).toBe('starting failed');
      await expect(starter.value!.done).rejects.toThrow('Component "feed" failed: boom');
    },
  );

  it('when a component is to be started again keeps it from that', async () => {
    const fixture = new Fixture().add(
      { name: 'feed', start: () => Promise.reject(new Error('boom')) },
      { restart: 'on-failure' },
    );
    once(fixture, 'feed', 'failed', () => void fixture.registry.stopAll());
    await fixture.start();
    await fixture.clock.advance(1000);

    expect(fixture.path('feed')).toBe('starting failed stopped');
  });

  it('when another component stands by starts nothing after that', async () => {
    const fixture = new Fixture()
      .worker('leader', { leaderOnly: true })
      .worker('late', { leaderOnly: true })
      .worker('feed');
    once(fixture, 'leader', 'standby', () => void fixture.registry.stopAll());
    await fixture.start();

    expect(fixture.path('leader')).toBe('standby stopped');
    expect(fixture.path('late')).toBe('stopped');
    expect(fixture.path('feed')).toBe('stopped');
  });
});

describe('a listener that ends an unhealthy component', () => {
  it.each(['event', 'onError'])('by its %s before onUnhealthy applies changes nothing else', async (where) => {
    const fixture: Fixture = new Fixture({
      unhealthyThreshold: 1,
      events: {
        publish: (name) => {
          if (name === 'lifecycle.health.changed' && where === 'event') void fixture.registry.stopAll();
        },
      },
    });
    const onError = () => void (where === 'onError' && fixture.registry.stopAll());
    fixture.add({ name: 'feed', start: ({ signal }) => aborted(signal) }, { onUnhealthy: 'restart', onError });
    await fixture.start();
    expect(() => fixture.recordHealth('feed', new Error('sick'))).not.toThrow();
    await fixture.clock.advance(1000);

    expect(fixture.info('feed')).toMatchObject({ status: 'stopped', restarts: 0 });
  });

  it('before it is asked to step down tells leadership nothing', async () => {
    const troubles: unknown[] = [];
    const fixture: Fixture = new Fixture({ unhealthyThreshold: 1 });
    const onError = () => void fixture.registry.stopLeaderOnlyComponents();
    fixture.registry.setLeadershipListener({
      onTrouble: (trouble) => void troubles.push(trouble),
      onLateComponent: () => undefined,
    });
    fixture.add(
      { name: 'leader', start: ({ signal }) => aborted(signal) },
      { leaderOnly: true, onUnhealthy: 'step-down', onError },
    );
    await fixture.start(true);
    fixture.recordHealth('leader', new Error('sick'));
    await fixture.clock.settle();

    expect(troubles).toEqual([]);
    expect(fixture.status('leader')).toBe('standby');
  });
});

describe('a listener that starts all', () => {
  it('when a component is stopping has it started again once it has stopped, and the stop does not wait for that', async () => {
    const fixture = new Fixture().worker('feed').worker('api', { dependsOn: ['feed'] });
    await fixture.start();
    once(fixture, 'api', 'stopping', () => void fixture.registry.startAll(fixture.lifetime.signal, false));
    const stopping = await fixture.stop();
    await fixture.clock.advance(STOP_TIMEOUT_MS);

    expect(stopping.state).toBe('resolved');
    expect(fixture.path('api')).toBe('starting running stopping stopped starting running');
    expect(fixture.path('feed')).toBe('starting running stopping stopped starting running');
    expect(fixture.failures).toEqual([]);
  });

  it('when a component has stopped starts it again', async () => {
    const fixture = new Fixture().worker('feed');
    await fixture.start();
    once(fixture, 'feed', 'stopped', () => void fixture.registry.startAll(fixture.lifetime.signal, false));
    await fixture.stop();

    expect(fixture.path('feed')).toBe('starting running stopping stopped starting running');
  });
});

describe('a listener that moves leadership', () => {
  async function leading(): Promise<{ fixture: Fixture; term: ElectionTerm }> {
    const fixture = new Fixture().worker('a', { leaderOnly: true }).worker('b', { leaderOnly: true, dependsOn: ['a'] });
    await fixture.start();
    return { fixture, term: await fixture.elect() };
  }

  it('by ending the new term while the one before is stopped for it leaves nothing running', async () => {
    const { fixture } = await leading();
    const next = fixture.term();
    once(fixture, 'b', 'stopping', () => next.end('lost at once'));
    await fixture.elect(next);

    expect(fixture.path('a')).toBe('standby starting running stopping standby');
    expect(fixture.path('b')).toBe('standby starting running stopping standby');
  });

  it('by beginning a newer term while one is stopped for another leaves the newest', async () => {
    const { fixture } = await leading();
    const [next, newest] = [fixture.term(), fixture.term()];
    once(fixture, 'b', 'stopping', () => void fixture.registry.startLeaderOnlyComponentsAsync(newest));
    await fixture.elect(next);
    expect(fixture.path('b')).toBe('standby starting running stopping standby starting running');
    expect(fixture.run('b')).toMatchObject({ term: newest });

    newest.end('lost');
    await fixture.clock.settle();
    expect(fixture.status('b')).toBe('standby');
  });

  it('by beginning a term when a component comes to standby has it started', async () => {
    const { fixture, term } = await leading();
    once(fixture, 'a', 'standby', () => void fixture.registry.startLeaderOnlyComponentsAsync(fixture.term()));
    term.end('lost');
    await fixture.clock.settle();

    expect(fixture.status('a')).toBe('running');
    expect(fixture.status('b')).toBe('running');
  });
});
