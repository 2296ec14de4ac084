import { describe, expect, it } from '@jest/globals';
import type { Component, StartContext } from '../../../lib/core/component.js';
import { Deferred } from '../../../lib/core/deferred.js';
import { StartTimeoutError, StopFailedError } from '../../../lib/core/errors.js';
import { aborted, Fixture, never, STOP_TIMEOUT_MS } from './registry-fixture.js';
import { boom, expectClean, expectFailed, live, stopped } from './failure-fixture.js';

describe('a service-style component', () => {
  /** Counts its stops, which resolve. */
  function service(start: Component['start'], stop: () => Promise<void> | void = () => undefined) {
    const stops: boolean[] = [];
    let signal: AbortSignal | undefined;
    return {
      stops,
      start: (context: StartContext) => {
        ({ signal } = context);
        return start(context);
      },
      stop: () => {
        stops.push(signal!.aborted);
        return stop();
      },
    };
  }

  it.each<[string, Component['start']]>([
    [
      'start throws before its first await',
      () => {
        throw boom;
      },
    ],
    ['start rejects', () => Promise.reject(boom)],
    ['it says so while it starts', ({ fail }) => fail(boom)],
    [
      'it says so while start is pending',
      ({ fail, signal }) => Promise.resolve(fail(boom)).then(() => aborted(signal)),
    ],
  ])('is failed, and stopped once after the abort, when %s', async (_, start) => {
    const component = service(start);
    const life = await live(component);

    await expectFailed(life, 'starting failed', boom, 'boom');
    expect(component.stops).toEqual([true]);
    await stopped(life);
    expect(component.stops).toEqual([true]);
  });

  it('leaves no timer when it breaks before its start has returned', async () => {
    const fixture = new Fixture().add({ name: 'feed', ...service(({ fail }) => fail(boom)) });
    await fixture.start();

    expect(fixture.path('feed')).toBe('starting failed');
    expect(fixture.clock.pending).toBe(0);
  });

  it('is failed when it breaks after its start and says so', async () => {
    let fail: StartContext['fail'] | undefined;
    const component = service((context) => void ({ fail } = context));
    const life = await live(component);
    expect(life.fixture.path('feed')).toBe('starting running');

    fail!(boom);
    await expectFailed(life, 'starting running failed', boom, 'boom');
    expect(component.stops).toEqual([true]);
  });

  it('is failed at once when it breaks, also when its stop hangs', async () => {
    let fail: StartContext['fail'] | undefined;
    const life = await live(service((context) => void ({ fail } = context), never));
    fail!(boom);
    await life.fixture.clock.settle();

    expect(life.fixture.info('feed')).toMatchObject({ status: 'failed', error: 'boom' });
    expect(life.done.state).toBe('Component "feed" failed: boom');
    await life.fixture.clock.advance(STOP_TIMEOUT_MS);
    expect(life.fixture.registry.snapshot()[0]).toMatchObject({ overrunning: true, error: boom });
    expect(life.fixture.log).toContainEqual(expect.stringMatching(/has not stopped after 100 ms: stop\(\) is still/));
  });

  it('ignores that it breaks once it was told to end', async () => {
    let fail: StartContext['fail'] | undefined;
    const life = await live(
      service(
        (context) => void ({ fail } = context),
        () => fail!(boom),
      ),
    );
    await stopped(life);
    fail!(boom);

    expectClean(life, 'starting running stopping stopped');
  });

  it('is failed when start takes too long, and stopped though start is still pending', async () => {
    const release = new Deferred<void>();
    const component = service(() => release.promise);
    const life = await live(component);
    const { fixture } = life;
    expect(fixture.info('feed').error).toBe(
      'Component "feed" was not ready after 1000 ms: start() is still pending. ' +
        'Find out what it waits for, or raise startTimeoutMs.',
    );
    expect(fixture.failures).toEqual([{ error: expect.any(StartTimeoutError), info: fixture.info('feed') }]);
    expect(life.done.state).toMatch(/^Component "feed" failed: Component "feed" was not ready after 1000 ms/);
    expect(component.stops).toEqual([]);

    await fixture.clock.advance(STOP_TIMEOUT_MS / 2);
    expect(component.stops).toEqual([true]);
    await fixture.clock.advance(STOP_TIMEOUT_MS / 2);
    expect(fixture.registry.snapshot()[0]).toMatchObject({ overrunning: true });

    release.resolve();
    await fixture.clock.settle();
    expect(fixture.path('feed')).toBe('starting failed');
    expect(fixture.registry.snapshot()[0]).toMatchObject({ overrunning: false, failedForGood: true });
    expect(component.stops).toEqual([true]);
  });

  it('is stopped at once when a pending start reacts to the abort', async () => {
    const component = service(({ signal }) => aborted(signal));
    const life = await live(component);
    await life.fixture.clock.settle();

    expect(component.stops).toEqual([true]);
    expect(life.fixture.info('feed').error).toMatch(/was not ready after 1000 ms/);
  });

  it.each<[string, () => Promise<void> | void]>([
    [
      'throws',
      () => {
        throw boom;
      },
    ],
    ['rejects', () => Promise.reject(boom)],
  ])('is failed when stop %s', async (_, stopIt) => {
    const component = service(() => undefined, stopIt);
    const life = await live(component);

    const stopping = await stopped(life);
    expect(stopping.error).toBeInstanceOf(StopFailedError);
    expect(stopping.error).toMatchObject({ errors: [{ component: 'feed', cause: boom }] });
    await expectFailed(life, 'starting running stopping failed', boom, 'boom');
    expect(component.stops).toEqual([true]);
  });

  it('overruns when stop hangs, and the one that is to blame is named', async () => {
    const life = await live(service(() => undefined, never));

    const stopping = await stopped(life);
    expect(stopping.state).toMatch(/"feed" has not stopped after 100 ms: stop\(\) is still pending/);
    expect(life.fixture.info('feed')).toMatchObject({ status: 'stopping', error: expect.stringMatching(/stop\(\)/) });
  });

  it('is failed with the first error when its stop fails as well', async () => {
    const life = await live(
      service(
        () => Promise.reject(boom),
        () => Promise.reject(new Error('second')),
      ),
    );

    await expectFailed(life, 'starting failed', boom, 'boom');
  });

  it('is failed with the first error when both its pending start and its stop fail at the end', async () => {
    const component = service(
      ({ signal }) => aborted(signal).then(() => Promise.reject(boom)),
      () => Promise.reject(new Error('second')),
    );
    const fixture = new Fixture().add({ name: 'feed', ...component });
    await fixture.start();
    const stopping = await fixture.stop();

    expect(stopping.state).toBe('1 component(s) did not stop cleanly: Component "feed" failed: boom');
    expect(component.stops).toEqual([true]);
  });

  it('gets its stop when the app stops while it starts', async () => {
    const fixture = new Fixture().service('feed', { startMs: 10 });
    const starter = await fixture.start();
    expect(fixture.path('feed')).toBe('starting');

    const stopping = await fixture.stop();
    expect(starter.state).toBe('resolved');
    await fixture.clock.advance(10);
    expect(stopping.state).toBe('resolved');
    expect(fixture.path('feed')).toBe('starting stopping stopped');
    expect(fixture.journal).toEqual(['feed starts', 'feed is up', 'feed stops', 'feed is down']);
  });
});
