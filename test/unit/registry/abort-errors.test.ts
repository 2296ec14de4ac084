import { describe, expect, it } from '@jest/globals';
import type { Component, StartContext } from '../../../lib/core/component.js';
import { aborted, Fixture, STOP_TIMEOUT_MS } from './registry-fixture.js';

const abortError = () => new DOMException('given up', 'AbortError');

/** How code says that it was aborted. */
const WAYS: readonly [string, (signal: AbortSignal) => void][] = [
  ['an AbortError', () => fail(abortError())],
  ['an error with the code ABORT_ERR', () => fail(Object.assign(new Error('aborted'), { code: 'ABORT_ERR' }))],
  ['an AbortError as a cause', () => fail(new Error('consume failed', { cause: abortError() }))],
  [
    'an AbortError as the cause of a cause',
    () => fail(new Error('a', { cause: new Error('b', { cause: abortError() }) })),
  ],
  ['signal.throwIfAborted()', (signal) => signal.throwIfAborted()],
  ["the signal's reason", (signal) => fail(signal.reason)],
  ["the signal's reason as a cause", (signal) => fail(new Error('consume failed', { cause: signal.reason }))],
];

function fail(error: unknown): never {
  throw error;
}

describe.each(WAYS)('%s', (_, throwIt) => {
  it('is a clean stop after the abort', async () => {
    const fixture = new Fixture().add({
      name: 'feed',
      start: ({ signal }) => aborted(signal).then(() => throwIt(signal)),
    });
    const starter = await fixture.start();

    expect((await fixture.stop()).state).toBe('resolved');
    expect(fixture.path('feed')).toBe('starting running stopping stopped');
    expect(fixture.failures).toEqual([]);
    await expect(starter.value!.done).resolves.toBeUndefined();
  });

  it('is a clean stop when stop() throws it', async () => {
    let signal: AbortSignal;
    const fixture = new Fixture().add({
      name: 'feed',
      start: (context) => void ({ signal } = context),
      stop: () => throwIt(signal),
    });
    await fixture.start();

    expect((await fixture.stop()).state).toBe('resolved');
    expect(fixture.path('feed')).toBe('starting running stopping stopped');
  });

  it('is a clean stop when a pending start or subscriptionReady() reacts with it', async () => {
    const until = ({ signal }: StartContext) => aborted(signal).then(() => throwIt(signal));
    let ready: Promise<void>;
    const fixture = new Fixture().add({ name: 'service', start: until, stop: () => undefined }).add({
      name: 'signaler',
      start: (context) => {
        ready = until(context);
        return aborted(context.signal);
      },
      subscriptionReady: () => ready,
    } as Component);
    const starter = await fixture.start();
    expect(starter.state).toBe('pending');

    expect((await fixture.stop()).state).toBe('resolved');
    expect(starter.state).toBe('resolved');
    expect(fixture.path('service')).toBe('starting stopping stopped');
    expect(fixture.path('signaler')).toBe('starting stopping stopped');
  });
});

describe.each(WAYS.slice(0, 4))('%s', (_, throwIt) => {
  it('is a failure without abort', async () => {
    const fixture = new Fixture().add({
      name: 'feed',
      start: async ({ signal }) => {
        await fixture.pause(10);
        throwIt(signal);
      },
    });
    await fixture.start();
    await fixture.clock.advance(10);

    expect(fixture.path('feed')).toBe('starting running failed');
    expect(fixture.failures).toHaveLength(1);
  });
});

describe('the reason of an ended term', () => {
  const listening = (react: (signal: AbortSignal) => void): Component => ({
    name: 'leader',
    start: ({ term }) => aborted(term!.signal).then(() => react(term!.signal)),
  });

  it.each<[string, (signal: AbortSignal) => void]>([
    ['thrown', (signal) => signal.throwIfAborted()],
    ['thrown as a cause', (signal) => fail(new Error('write failed', { cause: signal.reason }))],
    ['answered by returning', () => undefined],
  ])('is a clean stop when it is %s before the component was told to end itself', async (_, react) => {
    const fixture = new Fixture()
      .add(listening(react), { leaderOnly: true, restart: { mode: 'always', initialDelayMs: 1 } })
      .service('dependent', { leaderOnly: true, dependsOn: ['leader'], stopMs: 50 });
    await fixture.start();
    const term = await fixture.elect();
    term.end('lost');
    await fixture.clock.advance(STOP_TIMEOUT_MS);

    expect(fixture.path('leader')).toBe('standby starting running stopping standby');
    expect(fixture.path('dependent')).toBe('standby starting running stopping standby');
    expect(fixture.failures).toEqual([]);
    expect(fixture.log.filter((line) => !line.startsWith('log:'))).toEqual([]);
  });

  it('is not recognised on a component that is told nothing', async () => {
    const reason = new Error('of another signal');
    const fixture = new Fixture().add({ name: 'feed', start: () => Promise.reject(reason) });
    await fixture.start();

    expect(fixture.path('feed')).toBe('starting failed');
  });
});

describe('while a component waits for its turn to be told', () => {
  it('is clean when it answers the abort of the lifetime with an AbortError', async () => {
    const fixture: Fixture = new Fixture()
      .add({ name: 'db', start: () => aborted(fixture.lifetime.signal).then(() => fail(abortError())) })
      .service('api', { dependsOn: ['db'], stopMs: 50 });
    await fixture.start();
    fixture.lifetime.abort();
    await fixture.clock.advance(STOP_TIMEOUT_MS);

    expect(fixture.path('db')).toBe('starting running stopping stopped');
    expect(fixture.failures).toEqual([]);
  });

  it('is failed at once when it breaks, is not started again, and the stop names it', async () => {
    const fixture: Fixture = new Fixture()
      .add(
        { name: 'db', start: () => aborted(fixture.lifetime.signal).then(() => fail(new Error('cut off'))) },
        { restart: { mode: 'on-failure', initialDelayMs: 1 } },
      )
      .service('api', { dependsOn: ['db'], stopMs: 50 });
    await fixture.start();
    fixture.lifetime.abort();
    const stopping = await fixture.stop();
    expect(fixture.status('db')).toBe('failed');
    await fixture.clock.advance(STOP_TIMEOUT_MS);

    expect(fixture.path('db')).toBe('starting running failed');
    expect(stopping.state).toBe('1 component(s) did not stop cleanly: Component "db" failed: cut off');
  });
});
