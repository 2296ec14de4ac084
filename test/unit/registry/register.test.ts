import { describe, expect, it } from '@jest/globals';
import type { Component } from '../../../lib/core/component.js';
import { DuplicateComponentError, InvalidComponentError, InvalidOptionError } from '../../../lib/core/errors.js';
import { Registry } from '../../../lib/registry/registry.js';
import type { RegisterOptions } from '../../../lib/registry/component-definition.js';
import { Fixture, never } from './registry-fixture.js';

class OrderFeed implements Component {
  start = never;
}

describe('the name of a component', () => {
  it.each<[string, Component, RegisterOptions, string]>([
    ['its own', { name: 'feed', start: never }, {}, 'feed'],
    ['its own, also when the options have one', { name: 'feed', start: never }, { name: 'other' }, 'feed'],
    ['that of the options', new OrderFeed(), { name: 'orders' }, 'orders'],
    ['that of its class', new OrderFeed(), {}, 'OrderFeed'],
    ['that of its class when its own is no string', { ...{ name: 7 as never }, start: never }, { name: 'x' }, 'x'],
    ['that of the options for a function', Object.assign(() => undefined, { start: never }), { name: 'fn' }, 'fn'],
  ])('is %s', (_, component, options, name) => {
    const registry = new Registry();
    registry.register(component, options);

    expect(Object.keys(registry.status())).toEqual([name]);
  });

  it.each<[string, Component]>([
    ['there is none', { start: never }],
    ['it is empty', { name: '', start: never }],
    ['it is blank', { name: '  ', start: never }],
    ['the object has no class', Object.assign(Object.create(null) as object, { start: never })],
    [
      'the class has no name',
      new (class implements Component {
        start = never;
      })(),
    ],
  ])('has to be given when %s', (_, component) => {
    expect(() => new Registry().register(component)).toThrow(
      /has no usable name \(.*\)\. Give it one with @LifecycleComponent\(\{ name: '\.\.\.' \}\), register\(component, \{ name \}\)/,
    );
  });

  it('is taken only once, and both owners are named', () => {
    const registry = new Registry();
    registry.register(new OrderFeed(), { origin: 'OrderFeed of OrdersModule' });

    expect(() => registry.register({ name: 'OrderFeed', start: never }, { origin: 'a value of AppModule' })).toThrow(
      new DuplicateComponentError('OrderFeed', 'OrderFeed of OrdersModule', 'a value of AppModule'),
    );
    expect(registry.count()).toBe(1);
  });

  it('is taken by a disabled component, too', () => {
    const fixture = new Fixture().worker('feed', { enabled: false });

    expect(() => fixture.worker('feed')).toThrow(/Two components are named "feed"/);
  });
});

describe('a component is refused', () => {
  it.each<[string, unknown, RegExp]>([
    ['an object', {}, /^An object is registered as a component but has no start\(\) method\. Add start/],
    ['an instance', new (class Feed {})(), /^Feed is registered/],
    ['a start that is no function', { start: 1 }, /^An object is registered/],
    ['null', null, /^null is registered/],
    ['undefined', undefined, /^undefined is registered/],
    ['a string', 'feed', /^A string is registered/],
  ])('when it has no start(): %s', (_, component, message) => {
    const refused = () => new Registry().register(component as never);

    expect(refused).toThrow(InvalidComponentError);
    expect(refused).toThrow(message);
  });

  it.each<[RegisterOptions | Record<string, unknown>, string]>([
    [
      { leaderonly: true },
      'Option "leaderonly" in component "feed" (An object) is true (boolean), expected no such option',
    ],
    [{ leaderOnly: 'yes' }, 'Option "leaderOnly" in component "feed" (An object) is "yes", expected true or false.'],
    [
      { enabled: () => true },
      'Option "enabled" in component "feed" (An object) is the function enabled, expected true',
    ],
    [{ completes: 1 }, 'Option "completes" in component "feed" (An object) is 1 (number)'],
    [{ criticality: 'high' }, 'is "high", expected one of "critical", "degradable", "optional".'],
    [{ onUnhealthy: 'panic' }, 'is "panic", expected one of "report", "restart", "step-down".'],
    [
      { startTimeoutMs: 0 },
      'Option "startTimeoutMs" in component "feed" (An object) is 0 (number), expected milliseconds',
    ],
    [{ stopTimeoutMs: '5s' }, 'Durations are numbers of milliseconds: 5000, not "5s".'],
    [{ stopTimeoutMs: Number.NaN }, 'Option "stopTimeoutMs" in component "feed" (An object) is NaN (number)'],
    [{ onError: 'log' }, 'Option "onError" in component "feed" (An object) is "log", expected a function.'],
    [{ restart: 'forever' }, 'Option "restart" in component "feed" (An object) is "forever"'],
    [{ leaderOnly: true, election: 'Orders!' }, 'Option "election" in component "feed" (An object) is "Orders!"'],
    [
      { election: 'orders' },
      'is "orders", but the component is not leader-only. Add leaderOnly: true, or remove the election.',
    ],
    [
      { onUnhealthy: 'step-down' },
      'but the component is not leader-only. Add leaderOnly: true, or use "restart" or "report".',
    ],
    [{ dependsOn: 'db' }, 'Option "dependsOn" of component "feed" (An object) must be an array of names or classes.'],
    [
      { dependsOn: [undefined] },
      'Option "dependsOn[0]" of component "feed" (An object) is undefined, expected a name or a class.',
    ],
    [{ dependsOn: ['db', ''] }, 'Option "dependsOn[1]" of component "feed"'],
    [{ dependsOn: [() => OrderFeed] }, 'Option "dependsOn[0]" of component "feed" (An object) is ()'],
  ])('when its options are %j', (options, message) => {
    const registry = new Registry();

    expect(() => registry.register({ name: 'feed', start: never }, options as RegisterOptions)).toThrow(message);
    expect(registry.count()).toBe(0);
  });

  it.each([true, null, 'leaderOnly'])('when its options are no options: %j', (options) => {
    expect(() => new Registry().register(new OrderFeed(), options as never)).toThrow(
      `The options of OrderFeed are ${String(options)}, expected an object. ` +
        'Write for example register(component, { leaderOnly: true }).',
    );
  });
});

describe('options of a component', () => {
  it('are not changed any more by who gave them', async () => {
    const dependsOn = ['db'];
    const fixture = new Fixture().worker('db').worker('feed', { dependsOn });
    dependsOn.push('nobody');

    expect((await fixture.start()).state).toBe('resolved');
  });

  it('that are undefined count as not given', async () => {
    const given = { leaderOnly: undefined, restart: undefined, startTimeoutMs: undefined, dependsOn: undefined };
    const fixture = new Fixture().worker('feed', given as never);
    await fixture.start();

    expect(fixture.status('feed')).toBe('running');
  });
});

describe('options of a registry', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ startTimeoutMs: -1 }, 'Option "startTimeoutMs" is -1 (number), expected milliseconds, more than 0'],
    [{ stopTimeoutMs: Infinity }, 'Option "stopTimeoutMs" is Infinity (number)'],
    [{ shutdownTimeoutMs: '25s' }, 'Option "shutdownTimeoutMs" is "25s"'],
    [{ unhealthyThreshold: 0 }, 'Option "unhealthyThreshold" is 0 (number), expected an integer of at least 1'],
    [{ random: 0.5 }, 'Option "random" is 0.5 (number), expected a function'],
    [{ restart: 'always' }, 'Option "restart" is "always", expected an object of numbers'],
    [{ restart: { mode: 'always' } }, 'Option "mode" in restart is "always", expected no such option'],
    [{ restart: { maxRestarts: 1.5 } }, 'Option "restart.maxRestarts" is 1.5 (number)'],
  ])('are refused: %j', (options, message) => {
    expect(() => new Registry(options)).toThrow(InvalidOptionError);
    expect(() => new Registry(options)).toThrow(message);
  });

  it('that are undefined do not hide a default', async () => {
    const fixture = new Fixture({ restart: { maxRestarts: undefined } as never });
    fixture.add(
      { name: 'feed', start: () => Promise.reject(new Error('no')) },
      { restart: { mode: 'on-failure', initialDelayMs: 1, maxDelayMs: 1 } },
    );
    await fixture.start();
    await fixture.clock.advance(100);

    expect(fixture.registry.snapshot()[0]).toMatchObject({ failedForGood: true, info: { restarts: 5 } });
  });
});
