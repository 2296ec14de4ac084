import { describe, expect, it } from '@jest/globals';
import { InvalidOptionError } from '../../../lib/core/errors.js';
import {
  assertBoolean,
  assertCount,
  assertDuration,
  assertFunction,
  assertMethods,
  assertObject,
  assertOneOf,
  assertTimeout,
  definedOnly,
  isClass,
  rejectUnknownOptions,
} from '../../../lib/core/option-checks.js';

const MOST = 2 ** 31 - 1;

/** Each check with what it takes and what it refuses. */
const CHECKS: readonly [string, (value: unknown) => void, readonly unknown[], readonly unknown[]][] = [
  ['assertBoolean', (it) => assertBoolean('it', it), [true, false, undefined], [null, 0, 'true', {}]],
  ['assertFunction', (it) => assertFunction('it', it), [() => 1, class {}, undefined], [null, 'f', {}]],
  ['assertOneOf', (it) => assertOneOf('it', it, ['a', 'b']), ['a', 'b', undefined], ['c', '', null, 0, ['a']]],
  [
    'assertTimeout',
    (it) => assertTimeout('it', it),
    [0.5, 1, MOST, undefined],
    [0, -1, MOST + 1, Infinity, Number.NaN, '1', 1n, null, {}],
  ],
  [
    'assertDuration',
    (it) => assertDuration('it', it),
    [0, 0.5, MOST, undefined],
    [-1, MOST + 1, Number.NaN, '0', null],
  ],
  ['assertCount', (it) => assertCount('it', it, 1), [1, 2, undefined], [0, -1, 1.5, Number.NaN, 2 ** 60, '1', null]],
  ['assertObject', (it) => assertObject('it', it), [{}, new Map()], [undefined, null, [], 'x', 1, () => 1]],
  [
    'assertMethods',
    (it) => assertMethods('it', it, ['log']),
    [{ log: () => 1 }, console, undefined],
    [null, {}, { log: 1 }, 'x', 1],
  ],
];

describe.each(CHECKS)('%s()', (_, check, taken, refused) => {
  it('takes what can work', () => {
    for (const value of taken) expect(() => check(value)).not.toThrow();
  });

  it('refuses what cannot, with option, value, expectation and remedy', () => {
    for (const value of refused) {
      expect(() => check(value)).toThrow(InvalidOptionError);
      expect(() => check(value)).toThrow(/^Option "it" is .+, expected .+\. .+\.$/);
    }
  });
});

describe('an option error', () => {
  it('says where the option was given, and keeps option and value', () => {
    const refused = () => assertTimeout('stopTimeoutMs', '5s', 'component "feed"');

    expect(refused).toThrow(
      'Option "stopTimeoutMs" in component "feed" is "5s", expected milliseconds, more than 0 and at most 2147483647. ' +
        'Durations are numbers of milliseconds: 5000, not "5s".',
    );
    expect(refused).toThrow(expect.objectContaining({ option: 'stopTimeoutMs', value: '5s' }));
  });

  it.each<[unknown, string]>([
    [5, '5 (number)'],
    [5n, '5n'],
    [null, 'null (object)'],
    [undefined, 'undefined (undefined)'],
    [Symbol('s'), 'Symbol(s) (symbol)'],
    [{ a: 1 }, '{"a":1} (an object)'],
    [{ a: 1n }, 'an object that cannot be printed'],
    [function named() {}, 'the function named'],
  ])('describes the value %p', (value, text) => {
    const error = new InvalidOptionError({ option: 'it', value, expected: 'y', remedy: 'z' });

    expect(error.message).toBe(`Option "it" is ${text}, expected y. z`);
  });
});

describe('rejectUnknownOptions()', () => {
  it('names the option that is not known, and those that are', () => {
    expect(() => rejectUnknownOptions({ a: 1, typo: 2 }, ['a', 'b'], 'Registry')).toThrow(
      'Option "typo" in Registry is 2 (number), expected no such option (known: a, b). Correct its name, or remove it.',
    );
  });

  it.each([{ a: 1 }, {}, { a: undefined }])('takes %j', (options) => {
    expect(() => rejectUnknownOptions(options, ['a'])).not.toThrow();
  });
});

describe('definedOnly()', () => {
  it('leaves out what is undefined, and nothing else', () => {
    expect(definedOnly({ a: undefined, b: 0, c: null, d: false })).toEqual({ b: 0, c: null, d: false });
  });
});

describe('isClass()', () => {
  it('tells a class from an arrow function', () => {
    expect([class {}, function named() {}].map(isClass)).toEqual([true, true]);
    expect([() => 1, async () => 1, 'x', null, undefined, {}].map(isClass)).not.toContain(true);
  });
});
