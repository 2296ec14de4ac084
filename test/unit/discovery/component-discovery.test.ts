import type { DiscoveryService } from '@nestjs/core';
import { ComponentScopeError } from '../../../lib/core/errors.js';
import { LifecycleComponent } from '../../../lib/decorators/lifecycle-component.decorator.js';
import { ComponentDiscovery } from '../../../lib/discovery/component-discovery.js';

class Feed {
  start(): void {
    // Up at once.
  }
}
LifecycleComponent({ criticality: 'optional' })(Feed);

/** What discovery reads of Nest's instance wrappers. */
interface Wrapper {
  name?: unknown;
  token?: unknown;
  metatype?: unknown;
  instance?: unknown;
  host?: { name: string };
  isAlias?: boolean;
  isTransient?: boolean;
  isStatic?: boolean;
  isFactory?: boolean;
}

function find(providers: Wrapper[], controllers: Wrapper[] = []) {
  const wrap = ({ isStatic = true, ...rest }: Wrapper) => ({
    isAlias: false,
    isTransient: false,
    isFactory: false,
    isNotMetatype: rest.metatype === null || rest.metatype === undefined || rest.isFactory === true,
    isDependencyTreeStatic: () => isStatic,
    ...rest,
  });
  const discovery = { getProviders: () => providers.map(wrap), getControllers: () => controllers.map(wrap) };
  return new ComponentDiscovery(discovery as unknown as DiscoveryService).find();
}

const value = (instance: unknown, token: unknown = 'TOKEN'): Wrapper => ({ token, metatype: null, instance });

const throwing = () => {
  throw new Error('trap');
};

it('tells what it found and where it is from', () => {
  const feed = new Feed();
  expect(find([{ token: Feed, metatype: Feed, instance: feed, host: { name: 'OrdersModule' } }])).toEqual([
    { component: feed, options: { criticality: 'optional' }, origin: 'Feed in OrdersModule' },
  ]);
});

it('finds providers before controllers, each in the order of the container', () => {
  const [one, two, three] = [new Feed(), new Feed(), new Feed()];
  expect(find([value(one), value(two)], [{ metatype: Feed, instance: three }]).map((it) => it.component)).toEqual([
    one,
    two,
    three,
  ]);
});

it('knows a component without a module', () => {
  expect(find([value(new Feed())])[0]?.origin).toBe('Feed in an unknown module');
});

it.each<[string, unknown]>([
  ['null', null],
  ['undefined', undefined],
  ['an object without a prototype', Object.create(null)],
  ['a getter "constructor" that throws', Object.create(Object.create({}, { constructor: { get: throwing } }))],
  ['a proxy without a prototype', new Proxy({}, { getPrototypeOf: throwing })],
  ['a proxy that throws at everything', new Proxy({}, { get: throwing, has: throwing, getPrototypeOf: throwing })],
  ['a callable proxy that throws', new Proxy(() => undefined, { get: throwing, apply: throwing, construct: throwing })],
  ['a class', Feed],
  ['the prototype of a class without a mark', class {}.prototype],
])('passes over %s', (_, instance) => {
  const feed = new Feed();
  expect(find([value(instance), value(feed)]).map((it) => it.component)).toEqual([feed]);
});

it.each<[string, unknown]>([
  ['a proxy that throws', new Proxy(class {}, { get: throwing, getPrototypeOf: throwing })],
  ['a revoked proxy', revoked()],
])('passes over a class or token that is %s', (_, target) => {
  expect(find([{ token: target, metatype: null, instance: {} }])).toEqual([]);
  expect(find([{ token: 'X', metatype: target, instance: {} }])).toEqual([]);
});

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable(class {}, {});
  revoke();
  return proxy;
}

it('takes a value without start() that stands for a marked class as that class, disabled', () => {
  expect(find([value({ start: 'not a function' }, Feed)])).toEqual([
    expect.objectContaining({
      options: { name: 'Feed', criticality: 'optional', enabled: false },
      origin: 'what is provided for Feed in an unknown module',
      providedAs: Feed,
    }),
  ]);
});

it('takes a value whose start() cannot be read as one without', () => {
  const [found] = find([value(Object.create({}, { start: { get: throwing } }), Feed)]);
  expect(found?.options.enabled).toBe(false);
});

it('takes one stand-in for two marked classes as both, and for one class in two modules as one', () => {
  class Other extends Feed {}
  const standIn = { start: () => undefined };
  const found = find([value(standIn, Feed), value(standIn, Other), value(standIn, Feed)]);
  expect(found.map((it) => [it.component, it.providedAs])).toEqual([
    [standIn, Feed],
    [standIn, Other],
  ]);
});

it('names a component after where it was made, not after an alias that comes first', () => {
  const feed = new Feed();
  const alias = { ...value(feed), isFactory: true, isAlias: true, host: { name: 'AliasModule' } };
  const original = { token: Feed, metatype: Feed, instance: feed, host: { name: 'OrdersModule' } };
  expect(find([alias, original]).map((it) => it.origin)).toEqual(['Feed in OrdersModule']);
});

it.each([
  ['transient', { isTransient: true }],
  ['request', { isStatic: false }],
])('refuses a marked class of %s scope, by name and module', (scope, flags) => {
  const wrapper = { name: 'Feed', token: Feed, metatype: Feed, instance: Object.create(Feed.prototype), ...flags };
  expect(() => find([wrapper])).toThrow(ComponentScopeError);
  expect(() => find([wrapper])).toThrow(`"Feed" in module "unknown" is ${scope}-scoped`);
});
