import { describe, expect, it, jest } from '@jest/globals';
import { isAbortError, isAbortOf, onAbort, someCause } from '../../../lib/core/abort.js';

const abortError = () => new DOMException('given up', 'AbortError');
const aborted = (reason?: unknown) => AbortSignal.abort(reason);

const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error('must not be read');
    },
  },
);
const loop: { cause?: unknown } = {};
loop.cause = loop;

describe('isAbortError()', () => {
  it.each([
    ['an AbortError', abortError()],
    ['an error by that name', Object.assign(new Error('x'), { name: 'AbortError' })],
    ["Node's code", Object.assign(new Error('x'), { code: 'ABORT_ERR' })],
    ['a cause', new Error('x', { cause: abortError() })],
    ['the cause of a cause', new Error('x', { cause: new Error('y', { cause: abortError() }) })],
    ['the cause of what is no error', { cause: abortError() }],
  ])('recognises %s', (_, error) => expect(isAbortError(error)).toBe(true));

  it.each([
    ['another error', new Error('x')],
    ['a TimeoutError', new DOMException('x', 'TimeoutError')],
    ['a string', 'AbortError'],
    ['undefined', undefined],
    ['null', null],
    ['a circle of causes', loop],
    ['what cannot be read', hostile],
    ['a cause that cannot be read', new Error('x', { cause: hostile })],
  ])('does not take %s for one', (_, error) => expect(isAbortError(error)).toBe(false));
});

describe('isAbortOf()', () => {
  it('is false while no signal is aborted', () => {
    expect(isAbortOf(abortError(), new AbortController().signal, undefined)).toBe(false);
    expect(isAbortOf(abortError())).toBe(false);
  });

  it('is true for an AbortError once one of the signals is aborted', () => {
    expect(isAbortOf(abortError(), new AbortController().signal, aborted())).toBe(true);
  });

  it.each([
    ['an error', new Error('lease lost')],
    ['a string', 'lease lost'],
    ['null', null],
    ['0', 0],
    ['what cannot be read', hostile],
  ])("is true for an aborted signal's own reason: %s", (_, reason) =>
    expect(isAbortOf(reason, undefined, aborted(reason))).toBe(true),
  );

  it('is true for the reason as a cause', () => {
    const reason = new Error('lease lost');

    expect(isAbortOf(new Error('write failed', { cause: reason }), aborted(reason))).toBe(true);
  });

  it('is false for the reason of a signal that was not asked about, and for an equal one', () => {
    expect(isAbortOf(new Error('lease lost'), aborted(new Error('lease lost')))).toBe(false);
    expect(isAbortOf(undefined, aborted(new Error('x')))).toBe(false);
  });
});

describe('someCause()', () => {
  it('ends in a circle, and after many causes', () => {
    const matches = jest.fn(() => false);

    expect(someCause(loop, matches)).toBe(false);
    expect(matches.mock.calls.length).toBeLessThan(100);
  });

  it('is false when the question itself throws', () => {
    expect(
      someCause(new Error('x'), () => {
        throw new Error('no');
      }),
    ).toBe(false);
  });
});

describe('onAbort()', () => {
  it('calls once, in the tick of the abort', () => {
    const control = new AbortController();
    const listener = jest.fn();
    onAbort(control.signal, listener);
    control.abort();
    control.abort();

    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('calls at once when the signal is aborted already', () => {
    const listener = jest.fn();
    const release = onAbort(aborted(), listener);

    expect(listener).toHaveBeenCalledTimes(1);
    expect(release).not.toThrow();
  });

  it('does not call once it was released, also by a listener of the same abort', () => {
    const control = new AbortController();
    const listener = jest.fn();
    let release = () => undefined as void;
    control.signal.addEventListener('abort', () => release());
    release = onAbort(control.signal, listener);
    control.abort();

    expect(listener).not.toHaveBeenCalled();
  });
});
