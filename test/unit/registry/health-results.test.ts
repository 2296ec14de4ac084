import { describe, expect, it } from '@jest/globals';
import type { RegisterOptions } from '../../../lib/registry/component-definition.js';
import { Fixture, never } from './registry-fixture.js';

const sick = new Error('sick');

async function running(options: RegisterOptions = {}): Promise<Fixture> {
  const fixture = new Fixture({ unhealthyThreshold: 2 }).worker('feed', options);
  await fixture.start(true);
  return fixture;
}

describe('the result of a health check', () => {
  it('is in status(), and is not there before the first one', async () => {
    const fixture = await running();
    expect(fixture.info('feed')).not.toHaveProperty('healthy');
    fixture.recordHealth('feed');
    expect(fixture.info('feed')).toMatchObject({ healthy: true });
    fixture.recordHealth('feed', sick);

    expect(fixture.info('feed')).toMatchObject({ status: 'running', healthy: false });
    expect(fixture.info('feed')).not.toHaveProperty('error');
    expect(fixture.registry.snapshot()[0]!.healthError).toBe(sick);
  });

  it('is published when it changes, and not when it does not', async () => {
    const fixture = await running();
    for (const error of [undefined, undefined, sick, sick, new Error('worse'), undefined, undefined, sick]) {
      fixture.recordHealth('feed', error);
    }

    expect(fixture.healthEvents).toEqual([
      { name: 'feed', healthy: false, error: sick, at: 1_700_000_000_000 },
      { name: 'feed', healthy: true, at: 1_700_000_000_000 },
      { name: 'feed', healthy: false, error: sick, at: 1_700_000_000_000 },
    ]);
    expect(fixture.events).toHaveLength(2);
  });

  it('is forgotten when the run ends, and the next run begins without one', async () => {
    const fixture = await running({ leaderOnly: true });
    fixture.recordHealth('feed', sick);
    await fixture.registry.stopLeaderOnlyComponents();
    expect(fixture.info('feed')).not.toHaveProperty('healthy');
    expect(fixture.registry.snapshot()[0]!.healthError).toBeUndefined();

    await fixture.elect();
    expect(fixture.status('feed')).toBe('running');
    expect(fixture.info('feed')).not.toHaveProperty('healthy');
  });

  it('of the next run is published when listeners believe the opposite', async () => {
    const fixture = await running({ leaderOnly: true });
    fixture.recordHealth('feed', sick);
    await fixture.registry.stopLeaderOnlyComponents();
    await fixture.elect();
    fixture.recordHealth('feed');

    expect(fixture.healthEvents.map(({ healthy }) => healthy)).toEqual([false, true]);
  });

  it('of a run that is over is ignored', async () => {
    const fixture = await running({ leaderOnly: true, onUnhealthy: 'restart' });
    const stale = fixture.run('feed')!;
    await fixture.registry.stopLeaderOnlyComponents();
    for (let round = 0; round < 5; round++)
      fixture.registry.recordHealth('feed', stale, { healthy: false, error: sick });
    await fixture.elect();
    for (let round = 0; round < 5; round++)
      fixture.registry.recordHealth('feed', stale, { healthy: false, error: sick });

    expect(fixture.info('feed')).toMatchObject({ status: 'running', restarts: 0 });
    expect(fixture.info('feed')).not.toHaveProperty('healthy');
    expect(fixture.healthEvents).toEqual([]);
  });

  it('of a run that is being ended is ignored', async () => {
    const fixture = new Fixture({ unhealthyThreshold: 1 }).add(
      { name: 'feed', start: never },
      { onUnhealthy: 'restart' },
    );
    await fixture.start();
    const run = fixture.run('feed')!;
    await fixture.stop();
    fixture.registry.recordHealth('feed', run, { healthy: false, error: sick });

    expect(fixture.path('feed')).toBe('starting running stopping');
    expect(fixture.healthEvents).toEqual([]);
  });

  it('of a component that nobody knows is ignored', () => {
    expect(() => new Fixture().registry.recordHealth('nobody', { startedAt: 0 }, { healthy: true })).not.toThrow();
  });

  it('can be recorded only while the component runs: its snapshot has no run otherwise', async () => {
    const fixture = new Fixture().service('feed', { startMs: 10 });
    expect(fixture.run('feed')).toBeUndefined();
    await fixture.start();
    expect(fixture.run('feed')).toBeUndefined();
    await fixture.clock.advance(10);
    expect(fixture.run('feed')).toEqual({ startedAt: 0 });
    await fixture.stop();
    expect(fixture.run('feed')).toBeUndefined();
  });
});

describe('onUnhealthy: "report"', () => {
  it('changes nothing, however often the check fails', async () => {
    const fixture = await running();
    for (let round = 0; round < 10; round++) fixture.recordHealth('feed', sick);

    expect(fixture.path('feed')).toBe('starting running');
    expect(fixture.failures).toEqual([]);
  });
});
