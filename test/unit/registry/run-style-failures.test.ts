import { describe, expect, it } from '@jest/globals';
import type { StartContext } from '../../../lib/core/component.js';
import { Deferred } from '../../../lib/core/deferred.js';
import { StopFailedError, StopTimeoutError } from '../../../lib/core/errors.js';
import { aborted } from './registry-fixture.js';
import { boom, expectClean, expectFailed, live, stopped } from './failure-fixture.js';

describe('a run-style component', () => {
  it('is failed when start throws before its first await', async () => {
    const life = await live({
      start: () => {
        throw boom;
      },
    });

    await expectFailed(life, 'starting failed', boom, 'boom');
  });

  it.each([
    ['at once', () => Promise.reject(boom)],
    ['after a microtask', () => Promise.resolve().then(() => Promise.reject(boom))],
  ])('is failed without having been running when start rejects %s', async (_, start) => {
    await expectFailed(await live({ start }), 'starting failed', boom, 'boom');
  });

  it('is failed when start rejects later', async () => {
    const broken = new Deferred<void>();
    const life = await live({ start: () => broken.promise });
    expect(life.fixture.path('feed')).toBe('starting running');
    expect(life.done.state).toBe('pending');

    broken.reject(boom);
    await expectFailed(life, 'starting running failed', boom, 'boom');
  });

  it('is failed when it says so, and its signal is aborted', async () => {
    let context: StartContext | undefined;
    const life = await live({
      start: (it) => {
        context = it;
        return aborted(it.signal);
      },
    });
    context!.fail(boom);
    context!.fail(new Error('too late'));

    await expectFailed(life, 'starting running failed', boom, 'boom');
    expect(context!.signal.reason).toMatchObject({ name: 'AbortError', component: 'feed', cause: boom });
  });

  it('is stopped when start resolves before anything was awaited', async () => {
    expectClean(await live({ start: () => undefined }), 'starting stopped');
  });

  it('is stopped when start resolves later', async () => {
    const finished = new Deferred<void>();
    const life = await live({ start: () => finished.promise });
    finished.resolve();
    await life.fixture.clock.settle();

    expectClean(life, 'starting running stopped');
    expect(life.fixture.registry.snapshot()[0]).toMatchObject({ completed: true });
  });

  it('runs until its signal is aborted', async () => {
    const life = await live({ start: ({ signal }) => aborted(signal) });
    expect(life.done.state).toBe('pending');

    expect((await stopped(life)).state).toBe('resolved');
    expectClean(life, 'starting running stopping stopped');
  });

  it('overruns its stop when it ignores the abort, and is stopped when it has settled after all', async () => {
    const release = new Deferred<void>();
    const life = await live({ start: () => release.promise });
    const { fixture } = life;
    const text =
      'Component "feed" has not stopped after 100 ms: start() is still pending. ' +
      'Let it react to its signal, or raise stopTimeoutMs.';

    const stopping = await stopped(life);
    expect(stopping.error).toBeInstanceOf(StopFailedError);
    expect((stopping.error as StopFailedError).errors).toEqual([expect.any(StopTimeoutError)]);
    expect(stopping.error).toMatchObject({ message: `1 component(s) did not stop cleanly: ${text}` });
    expect(fixture.info('feed')).toMatchObject({ status: 'stopping', error: text });
    expect(fixture.registry.snapshot()[0]).toMatchObject({ overrunning: true, failedForGood: false });
    expect(fixture.failures).toEqual([{ error: expect.any(StopTimeoutError), info: fixture.info('feed') }]);
    expect(life.done.state).toBe('pending');

    release.resolve();
    await fixture.clock.settle();
    expect(fixture.path('feed')).toBe('starting running stopping stopped');
    expect(fixture.info('feed')).not.toHaveProperty('error');
    expect(fixture.registry.snapshot()[0]).toMatchObject({ overrunning: false });
    expect(life.done.state).toBe('resolved');
  });

  it('is failed when it rejects with anything else after the abort, and the stop says so', async () => {
    const life = await live({ start: ({ signal }) => aborted(signal).then(() => Promise.reject(boom)) });

    const stopping = await stopped(life);
    expect(stopping.error).toMatchObject({ errors: [{ component: 'feed', cause: boom }] });
    await expectFailed(life, 'starting running stopping failed', boom, 'boom');
  });
});
