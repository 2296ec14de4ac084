import { describe, expect, it } from '@jest/globals';
import { errorStack, errorText } from '../../../lib/core/error-text.js';

const throwing = (): never => {
  throw new Error('must not be read');
};
const hostile = new Proxy(new Error('x'), { get: throwing, getPrototypeOf: throwing });

describe('errorText()', () => {
  it.each<[string, unknown, string]>([
    ['an error', new Error('refused'), 'refused'],
    ['an error without a message', new RangeError(), 'RangeError'],
    ['an error whose message is no string', Object.assign(new Error('x'), { message: { code: 1 } }), '[object Object]'],
    ['an error whose message is a symbol', Object.assign(new Error('x'), { message: Symbol('no') }), 'Symbol(no)'],
    ['a string', 'refused', 'refused'],
    ['an empty string', '', '(empty string thrown)'],
    ['undefined', undefined, 'undefined thrown'],
    ['null', null, 'null thrown'],
    ['a number', 42, '42 thrown'],
    ['a symbol', Symbol('s'), 'Symbol(s) thrown'],
    ['an object', { code: 'E' }, '{"code":"E"}'],
    ['an object with a message', { message: 'refused' }, 'refused'],
    ['an object with an empty message', { message: '' }, '{"message":""}'],
    ['an object that JSON leaves out', { toJSON: () => undefined }, '[object Object]'],
    ['an object that holds a bigint', { id: 1n }, 'an unprintable value was thrown'],
    ['what cannot be read', hostile, 'an unprintable value was thrown'],
  ])('of %s is one line for people', (_, error, text) => {
    expect(errorText(error)).toBe(text);
    expect(typeof errorText(error)).toBe('string');
  });
});

describe('errorStack()', () => {
  it('has the stacks of an error and of its causes', () => {
    const root = new Error('root');
    const middle = new Error('middle', { cause: root });
    const top = new Error('top', { cause: middle });

    expect(errorStack(top)).toBe(`${top.stack}\n  caused by: ${middle.stack}\n  caused by: ${root.stack}`);
  });

  it('ends where a cause is no error', () => {
    const error = new Error('top', { cause: 'a string' });

    expect(errorStack(error)).toBe(error.stack);
  });

  it('ends in a circle of causes', () => {
    const error = new Error('top');
    error.cause = error;

    expect(errorStack(error)!.split('caused by').length).toBeLessThan(10);
  });

  it('uses the message of an error without a stack', () => {
    const error = new Error('refused');
    delete error.stack;

    expect(errorStack(error)).toBe('refused');
  });

  it.each([
    ['a string', 'x'],
    ['undefined', undefined],
    ['an object', {}],
    ['what cannot be read', hostile],
  ])('is absent for %s', (_, error) => expect(errorStack(error)).toBeUndefined());
});
