import { describe, expect, it } from '@jest/globals';
import type { StartContext } from '../../../lib/core/component.js';
import { UnhealthyError } from '../../../lib/core/errors.js';
import type { RegisterOptions } from '../../../lib/registry/component-definition.js';
import { aborted, Fixture, RESTART, STOP_TIMEOUT_MS } from './registry-fixture.js';

const sick = new Error('sick');

async function running(options: RegisterOptions = {}): Promise<Fixture> {
  const fixture = new Fixture({ unhealthyThreshold: 2 }).worker('feed', options);
  await fixture.start(true);
  return fixture;
}

describe('onUnhealthy: "restart"', () => {
  it('restarts the component after the threshold of failures in a row', async () => {
    const fixture = await running({ onUnhealthy: 'restart' });
    fixture.recordHealth('feed', sick);
    fixture.recordHealth('feed');
    fixture.recordHealth('feed', sick);
    expect(fixture.path('feed')).toBe('starting running');
    fixture.recordHealth('feed', sick);
    await fixture.clock.settle();

    expect(fixture.path('feed')).toBe('starting running stopping starting running');
    expect(fixture.info('feed')).toMatchObject({ restarts: 1 });
    expect(fixture.failures).toEqual([{ error: expect.any(UnhealthyError), info: expect.anything() }]);
    expect(fixture.failures[0]!.error).toMatchObject({
      message: 'Component "feed" failed 2 health checks in a row: sick',
      cause: sick,
    });
    expect(fixture.log).toContain('error: Component "feed" failed 2 health checks in a row: sick');
  });

  it('is the cause of the abort', async () => {
    let signal: AbortSignal;
    const start = (context: StartContext) => {
      ({ signal } = context);
      return aborted(signal);
    };
    const fixture = new Fixture({ unhealthyThreshold: 1 }).add({ name: 'feed', start }, { onUnhealthy: 'restart' });
    await fixture.start();
    const first = signal!;
    fixture.recordHealth('feed', sick);

    expect(first.reason).toMatchObject({ name: 'AbortError', cause: { cause: sick } });
  });

  it('waits longer each time, as failed, and fails for good past the cap', async () => {
    const fixture = await running({ onUnhealthy: 'restart', restart: { mode: 'never', maxRestarts: 2 } });
    for (let round = 0; round < 3; round++) {
      fixture.recordHealth('feed', sick);
      fixture.recordHealth('feed', sick);
      await fixture.clock.advance(RESTART.maxDelayMs);
    }

    expect(fixture.path('feed')).toBe(
      'starting running stopping starting running stopping failed starting running stopping failed',
    );
    expect(fixture.registry.snapshot()[0]).toMatchObject({ failedForGood: true });
    expect(fixture.info('feed').error).toBe('Component "feed" failed 2 health checks in a row: sick');
  });

  it('does not take the time that a stop takes for time in which the component was stable', async () => {
    const stop = () => fixture.pause(RESTART.stableAfterMs);
    const fixture: Fixture = new Fixture({ unhealthyThreshold: 1 }).add(
      { name: 'feed', start: () => undefined, stop },
      { onUnhealthy: 'restart', stopTimeoutMs: 1000, restart: { mode: 'never', maxRestarts: 1 } },
    );
    await fixture.start();
    for (let round = 0; round < 2; round++) {
      fixture.recordHealth('feed', sick);
      await fixture.clock.advance(RESTART.stableAfterMs);
    }

    expect(fixture.path('feed')).toBe('starting running stopping starting running stopping failed');
  });

  it('does not restart into a dependency that is gone: it waits as failed, and starts once that is back', async () => {
    let fail: StartContext['fail'];
    const fixture = new Fixture({ unhealthyThreshold: 1 })
      .add({ name: 'db', start: (context) => void ({ fail } = context), stop: () => undefined })
      .worker('feed', { dependsOn: ['db'], onUnhealthy: 'restart' });
    await fixture.start();
    fail!(new Error('connection lost'));
    await fixture.clock.settle();
    fixture.recordHealth('feed', sick);
    await fixture.clock.advance(1000);
    expect(fixture.path('feed')).toBe('starting running stopping failed');
    await fixture.start();

    expect(fixture.path('feed')).toBe('starting running stopping failed starting running');
  });

  it('of a run that does not end overruns, and restarts once it has ended', async () => {
    let release: () => void;
    let starts = 0;
    const start = ({ signal }: StartContext) =>
      ++starts === 1 ? new Promise<void>((resolve) => (release = resolve)) : aborted(signal);
    const fixture = new Fixture({ unhealthyThreshold: 1 }).add({ name: 'feed', start }, { onUnhealthy: 'restart' });
    await fixture.start();
    fixture.recordHealth('feed', sick);
    await fixture.clock.advance(STOP_TIMEOUT_MS);
    expect(fixture.registry.snapshot()[0]).toMatchObject({ overrunning: true });
    expect(fixture.info('feed')).toMatchObject({ status: 'stopping', error: expect.stringMatching(/has not stopped/) });

    release!();
    await fixture.clock.settle();
    expect(fixture.path('feed')).toBe('starting running stopping starting running');
    expect(fixture.info('feed')).not.toHaveProperty('error');
    expect(fixture.registry.snapshot()[0]).toMatchObject({ overrunning: false });
  });

  it('reports what the run failed with while it was ended, and restarts all the same', async () => {
    let starts = 0;
    const start = ({ signal }: StartContext) =>
      aborted(signal).then(() => (++starts === 1 ? Promise.reject(new Error('on the way out')) : undefined));
    const fixture = new Fixture({ unhealthyThreshold: 1 }).add({ name: 'feed', start }, { onUnhealthy: 'restart' });
    await fixture.start();
    fixture.recordHealth('feed', sick);
    await fixture.clock.settle();

    expect(fixture.path('feed')).toBe('starting running stopping starting running');
    expect(fixture.failures.map(({ error }) => (error as Error).message)).toEqual([
      'Component "feed" failed 1 health checks in a row: sick',
      'on the way out',
    ]);
  });

  it('does not restart what onError stops while it ends', async () => {
    const start = ({ signal }: StartContext) => aborted(signal).then(() => Promise.reject(new Error('on the way out')));
    const onError = (error: unknown) =>
      void (error !== undefined && fixture.run('feed') === undefined && fixture.stop());
    const fixture: Fixture = new Fixture({ unhealthyThreshold: 1 }).add(
      { name: 'feed', start },
      { onUnhealthy: 'restart', restart: { mode: 'never', maxRestarts: 0 }, onError },
    );
    await fixture.start();
    fixture.recordHealth('feed', sick);
    await fixture.clock.settle();

    expect(fixture.path('feed')).toBe('starting running stopping stopped');
  });

  it('does not restart what is stopped meanwhile', async () => {
    const fixture = await running({ onUnhealthy: 'restart' });
    fixture.recordHealth('feed', sick);
    fixture.recordHealth('feed', sick);
    await fixture.stop();
    await fixture.clock.advance(1000);

    expect(fixture.path('feed')).toBe('starting running stopping stopped');
  });

  it('does not restart what waits for its turn to stop', async () => {
    const fixture = new Fixture({ unhealthyThreshold: 1 })
      .worker('db', { onUnhealthy: 'restart' })
      .service('api', { dependsOn: ['db'], stopMs: 50 });
    await fixture.start();
    await fixture.stop();
    fixture.recordHealth('db', sick);
    await fixture.clock.advance(49);
    expect(fixture.path('db')).toBe('starting running');
    await fixture.clock.advance(1);

    expect(fixture.path('db')).toBe('starting running stopping stopped');
  });
});

describe('leadership hears', () => {
  async function leading(options: RegisterOptions, start: (context: StartContext) => Promise<void>) {
    const troubles: unknown[] = [];
    const fixture = new Fixture({ unhealthyThreshold: 2 }).add(
      { name: 'leader', start },
      { leaderOnly: true, election: 'orders', ...options },
    );
    fixture.registry.setLeadershipListener({
      onTrouble: (trouble) => void troubles.push(trouble),
      onLateComponent: () => undefined,
    });
    await fixture.start();
    await fixture.elect(fixture.term('orders'));
    return { fixture, troubles };
  }

  it('of a critical leader-only component that has failed for good', async () => {
    const { troubles } = await leading({}, () => Promise.reject(sick));

    expect(troubles).toEqual([{ election: 'orders', component: 'leader', error: sick }]);
  });

  it.each<[string, RegisterOptions]>([
    ['is degradable', { criticality: 'degradable' }],
    ['is optional', { criticality: 'optional' }],
    ['is to be started again', { restart: 'on-failure' }],
  ])('nothing of one that failed and %s', async (_, options) => {
    const { troubles } = await leading(options, () => Promise.reject(sick));

    expect(troubles).toEqual([]);
  });

  it('of one that failed past the cap', async () => {
    const { fixture, troubles } = await leading({ restart: { mode: 'on-failure', maxRestarts: 1 } }, () =>
      Promise.reject(sick),
    );
    await fixture.clock.advance(1000);

    expect(troubles).toHaveLength(1);
  });

  it('nothing of one that fails while it is stopped', async () => {
    const { fixture, troubles } = await leading({}, ({ signal }) => aborted(signal).then(() => Promise.reject(sick)));
    await fixture.registry.stopLeaderOnlyComponents().catch(() => undefined);

    expect(fixture.path('leader')).toBe('standby starting running stopping failed standby');
    expect(troubles).toEqual([]);
  });

  it('of an unhealthy one with onUnhealthy: "step-down", which goes on until it is stopped', async () => {
    const { fixture, troubles } = await leading({ onUnhealthy: 'step-down', criticality: 'optional' }, ({ signal }) =>
      aborted(signal),
    );
    fixture.recordHealth('leader', sick);
    expect(troubles).toEqual([]);
    fixture.recordHealth('leader', sick);

    expect(troubles).toEqual([{ election: 'orders', component: 'leader', error: expect.any(UnhealthyError) }]);
    expect(fixture.status('leader')).toBe('running');
    fixture.recordHealth('leader', sick);
    fixture.recordHealth('leader', sick);
    expect(troubles).toHaveLength(2);
  });

  it('nothing of all-replica components', async () => {
    const troubles: unknown[] = [];
    const fixture = new Fixture().add({ name: 'feed', start: () => Promise.reject(sick) });
    fixture.registry.setLeadershipListener({
      onTrouble: (trouble) => void troubles.push(trouble),
      onLateComponent: () => undefined,
    });
    await fixture.start();

    expect(fixture.status('feed')).toBe('failed');
    expect(troubles).toEqual([]);
  });
});
