import { describe, expect, it } from '@jest/globals';
import type { Component } from '../../../lib/core/component.js';
import { aborted, Fixture, never, STOP_TIMEOUT_MS, watch } from './registry-fixture.js';

const hostile = new Error('hidden');
// The stack first: to replace it, V8 reads the others.
for (const member of ['stack', 'cause', 'code', 'message', 'name']) {
  Object.defineProperty(hostile, member, { get: () => throwing(member) });
}
const proxy = new Proxy({}, { get: () => throwing('get'), getPrototypeOf: () => throwing('getPrototypeOf') });
const circular: { self?: unknown } = {};
circular.self = circular;

function throwing(what: string): never {
  throw new Error(`${what} must not be read`);
}

const VALUES: readonly [string, unknown, string][] = [
  ['a string', 'no luck', 'no luck'],
  ['an empty string', '', '(empty string thrown)'],
  ['undefined', undefined, 'undefined thrown'],
  ['null', null, 'null thrown'],
  ['a number', 0, '0 thrown'],
  ['a symbol', Symbol('why'), 'Symbol(why) thrown'],
  ['a bigint', 1n, '1 thrown'],
  ['an object', { code: 7 }, '{"code":7}'],
  ['an object with a message', { message: 'from elsewhere' }, 'from elsewhere'],
  ['an array', [1], '[1]'],
  ['a circular object', circular, 'an unprintable value was thrown'],
  ['an object without a prototype', Object.create(null), '{}'],
  ['a frozen error', Object.freeze(new Error('cold')), 'cold'],
  ['an error without a message', new TypeError(), 'TypeError'],
  ['an error whose getters throw', hostile, 'an unprintable value was thrown'],
  ['a proxy that throws', proxy, 'an unprintable value was thrown'],
  ['a thenable', { then: () => undefined }, '{}'],
];

/** Ways to fail with any value. Each fails only once it runs, and does not react to the abort. */
const WAYS: readonly [string, (value: unknown) => Omit<Component, 'name'>][] = [
  [
    'thrown by start',
    (value) => ({
      start: () => {
        throw value;
      },
    }),
  ],
  ['rejected by start', (value) => ({ start: () => Promise.reject(value) })],
  ['said by a service', (value) => ({ start: ({ fail }) => fail(value), stop: () => undefined })],
  ['said by a service that hangs', (value) => ({ start: ({ fail }) => fail(value), stop: never })],
  ['rejected by subscriptionReady', (value) => ({ start: never, subscriptionReady: () => Promise.reject(value) })],
];

describe.each(WAYS)('a value that is %s', (_, componentOf) => {
  it.each(VALUES)('makes the component failed when it is %s', async (__, value, text) => {
    const fixture = new Fixture();
    fixture.add({ name: 'feed', ...componentOf(value) });
    const starter = await fixture.start();

    expect(starter.state).toBe('resolved');
    const done = watch(starter.value!.done);
    await fixture.clock.settle();
    expect(fixture.path('feed')).toBe('starting failed');
    expect(fixture.info('feed').error).toBe(text);
    expect(Object.is(fixture.events.at(-1)!.error, value)).toBe(true);
    expect(fixture.failures).toHaveLength(1);
    expect(Object.is(fixture.failures[0]!.error, value)).toBe(true);
    expect(done.state).toBe(`Component "feed" failed: ${text}`);
    expect(fixture.log.filter((line) => line.startsWith('error:'))).toEqual([
      `error: feed failed, it stays down: ${text}`,
    ]);
  });
});

describe('a value that is rejected after the abort', () => {
  it.each(VALUES)('makes the component failed when it is %s', async (_, value, text) => {
    const fixture = new Fixture().add({
      name: 'feed',
      start: ({ signal }) => aborted(signal).then(() => Promise.reject(value)),
    });
    await fixture.start();

    const stopping = await fixture.stop();
    expect(fixture.path('feed')).toBe('starting running stopping failed');
    expect(fixture.info('feed').error).toBe(text);
    expect(stopping.state).toBe(`1 component(s) did not stop cleanly: Component "feed" failed: ${text}`);
  });

  it('makes the component failed when its stop throws something hostile', async () => {
    const fixture = new Fixture().add({
      name: 'feed',
      start: () => undefined,
      stop: () => {
        throw hostile;
      },
    });
    await fixture.start();
    const stopping = await fixture.stop();
    await fixture.clock.advance(STOP_TIMEOUT_MS);

    expect(fixture.status('feed')).toBe('failed');
    expect(stopping.state).toMatch(/"feed" failed: an unprintable value/);
  });
});

describe('a component whose members cannot be read', () => {
  it.each(['stop', 'subscriptionReady'])('is failed when %s is a getter that throws', async (member) => {
    const component = Object.defineProperty({ name: 'feed', start: never }, member, { get: () => throwing(member) });
    const fixture = new Fixture().add(component);
    const starter = await fixture.start();

    expect(starter.state).toBe('resolved');
    expect(fixture.path('feed')).toBe('starting failed');
    expect(fixture.info('feed').error).toBe(`${member} must not be read`);
  });

  it('runs when start returns a thenable of its own, and fails when that throws', async () => {
    const fixture = new Fixture()
      .add({ name: 'fine', start: () => ({ then: (resolve: () => void) => resolve() }) as Promise<void> })
      .add({ name: 'broken', start: () => ({ then: () => throwing('then') }) as unknown as Promise<void> });
    await fixture.start();

    expect(fixture.path('fine')).toBe('starting stopped');
    expect(fixture.path('broken')).toBe('starting failed');
  });
});
