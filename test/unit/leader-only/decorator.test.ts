import { describe, expect, test } from '@jest/globals';
import { SetMetadata, UseGuards } from '@nestjs/common';
import { InvalidOptionError, LeaderOnlyUnboundError, LeaderOnlyUseError } from '../../../lib/core/errors.js';
import { StandaloneElector } from '../../../lib/electors/standalone/standalone-elector.js';
import { LeaderOnly } from '../../../lib/leader-only/leader-only.decorator.js';
import { markedMethodsOf } from '../../../lib/leader-only/marked-method.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { CallingReplica } from './leader-only-fixtures.js';

/** As TypeScript applies it, where types would not let it. */
function decorate(target: object, name: string, descriptor: PropertyDescriptor | undefined): void {
  (LeaderOnly() as unknown as (...args: unknown[]) => void)(target, name, descriptor);
}

const descriptorOf = (target: object, name: string) => Object.getOwnPropertyDescriptor(target, name);

describe('a method marked with @LeaderOnly()', () => {
  test('keeps name, length and metadata, from above and from below', () => {
    class Reports {
      @SetMetadata('above', 1)
      @LeaderOnly()
      @SetMetadata('below', 2)
      nightly(_day: string, _pages: number): void {
        // Nothing to do.
      }
    }
    const { nightly } = Reports.prototype;
    expect([nightly.name, nightly.length]).toEqual(['nightly', 2]);
    expect(Reflect.getMetadata('above', nightly)).toBe(1);
    expect(Reflect.getMetadata('below', nightly)).toBe(2);
  });

  test('keeps the properties that a decorator put on the function', () => {
    const tagged = (_: object, __: string, descriptor: PropertyDescriptor) => {
      (descriptor.value as { tag?: string }).tag = 'a tag';
    };
    class Reports {
      @LeaderOnly()
      @tagged
      nightly(): void {
        // Nothing to do.
      }
    }
    expect((Reports.prototype.nightly as { tag?: string }).tag).toBe('a tag');
  });

  test('keeps the guards of its own, in their order, and gets one more', () => {
    class Below {
      canActivate = () => true;
    }
    class Above {
      canActivate = () => true;
    }
    class Reports {
      @UseGuards(Above)
      @LeaderOnly()
      @UseGuards(Below)
      nightly(): void {
        // Nothing to do.
      }
    }
    const guards = Reflect.getMetadata('__guards__', Reports.prototype.nightly) as { name: string }[];
    expect(guards.map((it) => it.name)).toEqual(['Below', 'LeaderOnlyGuard', 'Above']);
  });

  test('is found on subclasses, also where they override it', () => {
    class Base {
      @LeaderOnly('reports')
      nightly(): void {
        // Nothing to do.
      }

      @LeaderOnly()
      hourly(): void {
        // Nothing to do.
      }
    }
    class Derived extends Base {
      override hourly(): void {
        super.hourly();
      }
    }
    const names = (instance: object) => markedMethodsOf(instance).map(({ name, election }) => `${name} ${election}`);
    expect(names(new Derived())).toEqual(['Base.nightly reports', 'Base.hourly default']);
    expect(names({})).toEqual([]);
  });

  test('refuses an object that no app knows of, and says what to do', () => {
    class Reports {
      @LeaderOnly()
      nightly(): void {
        throw new Error('ran');
      }
    }
    const { nightly } = new Reports();
    expect(() => new Reports().nightly()).toThrow(LeaderOnlyUnboundError);
    expect(() => new Reports().nightly()).toThrow(/^Reports\.nightly\(\) .*LifecycleModule\.forRoot\(\)/);
    expect(() => nightly.call(undefined as never)).toThrow(LeaderOnlyUnboundError);
  });

  test('leaves objects of its class as they are', () => {
    class Reports {
      readonly pages = 3;

      @LeaderOnly()
      nightly(): void {
        // Nothing to do.
      }
    }
    const replica = new CallingReplica({ elector: new StandaloneElector({ clock: new ManualClock() }) });
    const reports = Object.freeze(replica.adopt(new Reports()));
    expect(Reflect.ownKeys(reports)).toEqual(['pages']);
    expect(() => replica.adopt(Object.freeze(new Reports())).nightly()).not.toThrow();
  });
});

describe('an object that is provided in two apps', () => {
  class Reports {
    @LeaderOnly()
    nightly(): string {
      return 'ran';
    }
  }
  const standalone = () => new CallingReplica({ elector: new StandaloneElector({ clock: new ManualClock() }) });

  test('is refused while both are there', () => {
    const reports = standalone().adopt(new Reports());
    expect(() => standalone().adopt(reports)).toThrow(/One Reports is provided in two apps/);
  });

  test('belongs to the second one when the first has stopped', async () => {
    const [first, second] = [standalone(), standalone()];
    const reports = first.adopt(new Reports());
    await first.boot();
    expect(reports.nightly()).toBe('ran');
    await first.leadership.stop();
    second.adopt(reports);
    expect(reports.nightly()).toBeUndefined();
    await second.boot();
    expect(reports.nightly()).toBe('ran');
    await second.leadership.stop();
  });
});

describe('@LeaderOnly() refuses', () => {
  class Odd {
    static shared(): void {
      // Nothing to do.
    }
    get accessor(): number {
      return 1;
    }
    *generator(): Generator<number> {
      yield 1;
    }
    async *stream(): AsyncGenerator<number> {
      yield 1;
    }
    @LeaderOnly()
    marked(): void {
      // Nothing to do.
    }
  }

  test.each([
    ['a static method', () => decorate(Odd, 'shared', descriptorOf(Odd, 'shared')), /Odd\.shared: .* instances/],
    ['an accessor', () => decorate(Odd.prototype, 'accessor', descriptorOf(Odd.prototype, 'accessor')), /an accessor/],
    ['a property', () => decorate(Odd.prototype, 'arrow', undefined), /Odd\.arrow: it is no method/],
    ['a generator', () => decorate(Odd.prototype, 'generator', descriptorOf(Odd.prototype, 'generator')), /generator/],
    ['an async one', () => decorate(Odd.prototype, 'stream', descriptorOf(Odd.prototype, 'stream')), /generator/],
    ['a second mark', () => decorate(Odd.prototype, 'marked', descriptorOf(Odd.prototype, 'marked')), /marked already/],
    ['a class', () => decorate(Odd, undefined as never, undefined), /instances/],
  ])('%s', (_, mark, message) => {
    expect(mark).toThrow(LeaderOnlyUseError);
    expect(mark).toThrow(message);
  });

  test.each([
    ['a name that some engine does not allow', 'Not OK', /"election" in @LeaderOnly\(\) of Odd\.late\(\)/],
    ['an unknown option', { elections: 'reports' }, /"elections" in @LeaderOnly\(\) of Odd\.late\(\)/],
    ['options that are none', null, /expected an object/],
    ['a time that is none', { retryAfterMs: '5s' }, /"retryAfterMs"/],
  ])('%s', (_, options, message) => {
    const late = { value: () => undefined };
    const mark = () => LeaderOnly(options as never)(Odd.prototype, 'late', late);
    expect(mark).toThrow(InvalidOptionError);
    expect(mark).toThrow(message);
  });
});
