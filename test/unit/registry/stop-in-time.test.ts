import { describe, expect, it } from '@jest/globals';
import { StopFailedError } from '../../../lib/core/errors.js';
import { aborted, Fixture, never, SHUTDOWN_TIMEOUT_MS, STOP_TIMEOUT_MS, watch } from './registry-fixture.js';

/** api -> cache -> db, and a bystander. */
function stack(options: { leaderOnly?: boolean } = {}): Fixture {
  return new Fixture()
    .service('db', { stopMs: 10, ...options })
    .service('cache', { stopMs: 10, dependsOn: ['db'], ...options })
    .service('api', { stopMs: 10, dependsOn: ['cache'], ...options })
    .service('bystander', { stopMs: 10, ...options });
}

describe('a stop that finds a component starting', () => {
  it('aborts it, gives it its stop, and starts nothing that waited for it', async () => {
    const fixture = new Fixture().service('db', { startMs: 20 }).service('api', { dependsOn: ['db'] });
    const starter = await fixture.start();
    await fixture.stop();
    expect(starter.state).toBe('resolved');
    await fixture.clock.advance(20);

    expect(fixture.journal).toEqual(['db starts', 'db is up', 'db stops', 'db is down']);
    expect(fixture.path('db')).toBe('starting stopping stopped');
    expect(fixture.path('api')).toBe('stopped');
    await expect(starter.value!.done).resolves.toBeUndefined();
  });

  it('calls stop() of a start that does not react, within the time that is left', async () => {
    const stops: number[] = [];
    const stop = () => void stops.push(fixture.clock.now());
    const fixture: Fixture = new Fixture().add({ name: 'stuck', start: never, stop });
    await fixture.start();
    const stopping = await fixture.stop({ timeoutMs: 20 });
    await fixture.clock.advance(20);

    expect(stops).toEqual([10]);
    expect(stopping.state).toMatch(/"stuck" has not stopped after 20 ms: start\(\) is still pending/);
  });

  it('calls it sooner when a later stop leaves less time, and is not burdened by many stops', async () => {
    const stops: number[] = [];
    const stop = () => void stops.push(fixture.clock.now());
    const fixture: Fixture = new Fixture().add({ name: 'stuck', start: never, stop });
    await fixture.start();
    await fixture.stop();
    await fixture.stop({ timeoutMs: 20 });
    for (let round = 0; round < 20; round++) await fixture.stop({ timeoutMs: 90 });
    await fixture.clock.advance(STOP_TIMEOUT_MS);

    expect(stops).toEqual([10]);
    expect(fixture.clock.pending).toBe(0);
  });

  it('leaves nothing running when it comes in the same tick', async () => {
    const fixture = stack();
    const starter = watch(fixture.registry.startAll(fixture.lifetime.signal, false));
    fixture.lifetime.abort();
    await fixture.clock.settle();

    expect(starter.state).toBe('resolved');
    expect(fixture.journal).toEqual([]);
    for (const name of ['db', 'cache', 'api']) expect(fixture.path(name)).toBe('stopped');
  });

  it('is followed by a second start', async () => {
    const fixture = stack();
    await fixture.start();
    await fixture.stop();
    await fixture.clock.advance(30);
    const starter = await fixture.start();

    expect(starter.state).toBe('resolved');
    for (const name of ['db', 'cache', 'api']) {
      expect(fixture.path(name)).toBe('starting running stopping stopped starting running');
    }
  });

  it('of a restarting component starts it no more, also when its turn comes later', async () => {
    let starts = 0;
    const fixture: Fixture = new Fixture()
      .add(
        { name: 'db', start: () => (++starts, fixture.pause(10).then(() => Promise.reject(new Error('lost')))) },
        { restart: { mode: 'on-failure', initialDelayMs: 30, maxDelayMs: 30 } },
      )
      .service('api', { dependsOn: ['db'], stopMs: 90 });
    await fixture.start();
    await fixture.clock.advance(20);
    expect(fixture.status('db')).toBe('failed');
    await fixture.stop();
    await fixture.clock.advance(200);

    expect(starts).toBe(1);
    expect(fixture.path('db')).toBe('starting running failed stopped');
  });
});

describe('a stop whose time is up', () => {
  it('goes on with the others, and names who overran and who failed', async () => {
    const fixture = new Fixture()
      .service('db')
      .add({ name: 'stuck', start: never }, { dependsOn: ['db'] })
      .add({ name: 'broken', start: ({ signal }) => aborted(signal).then(() => Promise.reject(new Error('boom'))) })
      .service('fine', { stopMs: 20 });
    await fixture.start();
    fixture.journal.length = 0;
    const stopping = await fixture.stop();
    await fixture.clock.advance(STOP_TIMEOUT_MS - 1);
    expect(fixture.status('db')).toBe('running');
    await fixture.clock.advance(1);

    expect(stopping.error).toBeInstanceOf(StopFailedError);
    expect(stopping.error).toMatchObject({
      errors: [{ component: 'broken' }, { component: 'stuck' }],
      cause: { component: 'broken' },
    });
    expect(fixture.journal).toEqual(['fine stops', 'fine is down', 'db stops', 'db is down']);
    expect(fixture.status('db')).toBe('stopped');
    expect(fixture.status('stuck')).toBe('stopping');
  });

  it('ends a dependency that a throwing dependent was to end before', async () => {
    const fixture: Fixture = new Fixture().service('db').add(
      {
        name: 'api',
        start: () => undefined,
        stop: async () => {
          await fixture.pause(20);
          throw new Error('boom');
        },
      },
      { dependsOn: ['db'] },
    );
    await fixture.start();
    await fixture.stop();
    expect(fixture.status('db')).toBe('running');
    await fixture.clock.advance(20);

    expect(fixture.status('api')).toBe('failed');
    expect(fixture.status('db')).toBe('stopped');
  });

  it('takes no longer than the total budget, however many overrun one after the other', async () => {
    const fixture = new Fixture().add({ name: 'c0', start: never });
    for (let index = 1; index < 6; index++)
      fixture.add({ name: `c${index}`, start: never }, { dependsOn: [`c${index - 1}`] });
    await fixture.start();
    const stopping = await fixture.stop();
    await fixture.clock.advance(SHUTDOWN_TIMEOUT_MS + 6);

    expect(stopping.error).toMatchObject({ errors: { length: 6 } });
    for (let index = 0; index < 6; index++) {
      expect(stopping.state).toContain(`Component "c${index}" has not stopped after`);
    }
  });

  it('takes no longer than what it is given', async () => {
    const fixture = new Fixture().add({ name: 'stuck', start: never }).service('db');
    await fixture.start();
    const stopping = await fixture.stop({ timeoutMs: 5 });
    await fixture.clock.advance(5);

    expect(stopping.state).toMatch(/"stuck" has not stopped after 5 ms/);
    expect(fixture.status('db')).toBe('stopped');
  });

  it('respects a stop timeout of a component', async () => {
    const fixture = new Fixture()
      .add({ name: 'quick', start: never }, { stopTimeoutMs: 10 })
      .service('patient', { stopTimeoutMs: 200, stopMs: 150 });
    await fixture.start();
    const stopping = await fixture.stop();
    await fixture.clock.advance(10);
    expect(fixture.registry.snapshot()[0]).toMatchObject({ overrunning: true });
    await fixture.clock.advance(140);

    expect(fixture.status('patient')).toBe('stopped');
    expect((stopping.error as StopFailedError).errors).toHaveLength(1);
  });

  it('leaves no timer behind', async () => {
    const fixture = stack().add({ name: 'stuck', start: never });
    await fixture.start();
    await fixture.stop();
    await fixture.clock.advance(SHUTDOWN_TIMEOUT_MS);

    expect(fixture.clock.pending).toBe(0);
  });
});
