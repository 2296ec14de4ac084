import { LifecycleComponent, readComponentOptions } from '../../../lib/decorators/lifecycle-component.decorator.js';

class Unmarked {
  start(): void {
    // Up at once.
  }
}

it('marks with the options given, and with none', () => {
  @LifecycleComponent({ name: 'feed', restart: 'always' })
  class Feed extends Unmarked {}
  @LifecycleComponent()
  class Plain extends Unmarked {}
  expect(readComponentOptions(Feed)).toEqual({ name: 'feed', restart: 'always' });
  expect(readComponentOptions(Plain)).toEqual({});
});

it('takes true as short for leader-only', () => {
  @LifecycleComponent(true)
  class Job extends Unmarked {}
  expect(readComponentOptions(Job)).toEqual({ leaderOnly: true });
});

it('marks subclasses, and never the class they come from', () => {
  @LifecycleComponent({ name: 'base' })
  class Base extends Unmarked {}
  class Derived extends Base {}
  @LifecycleComponent({ criticality: 'optional' })
  class Own extends Base {}
  expect(readComponentOptions(Derived)).toEqual({ name: 'base' });
  expect(readComponentOptions(Own)).toEqual({ criticality: 'optional' });
  expect(readComponentOptions(Base)).toEqual({ name: 'base' });
  expect(readComponentOptions(Unmarked)).toBeUndefined();
});

it('is read across copies of the package, since its key is a fixed string', () => {
  class Foreign extends Unmarked {}
  Reflect.defineMetadata('nestjs-lifecycle:component', { leaderOnly: true }, Foreign);
  expect(readComponentOptions(Foreign)).toEqual({ leaderOnly: true });
});

it.each([undefined, null, 'Feed', 1, Symbol('s'), {}, () => undefined])('reads nothing from %p', (target) => {
  expect(readComponentOptions(target)).toBeUndefined();
});

it('does not compile above a class without start()', () => {
  // @ts-expect-error -- no start()
  @LifecycleComponent()
  class NoStart {}
  // @ts-expect-error -- start() of another kind
  @LifecycleComponent()
  class OtherStart {
    start(port: number): number {
      return port;
    }
  }
  expect([NoStart, OtherStart].map((it) => readComponentOptions(it))).toEqual([{}, {}]);
});
