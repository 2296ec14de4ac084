import { expect, test } from '@jest/globals';
import { EngineRefusalError, EngineStandbyError, RequestTimeoutError } from '../../../../lib/core/errors.js';
import { explained } from '../../../../lib/electors/mysql/engine-errors.js';
import { serverError } from './scripted-pool.js';

const settings = { table: 'leases', createTable: true };

test.each([1044, 1045, 1046, 1049, 1054, 1142, 1146, 1698])(
  '%i stays until somebody acts: a refusal that keeps its cause',
  (errno) => {
    const cause = serverError(errno, 'what the server says');

    const error = explained(cause, settings);

    expect(error).toBeInstanceOf(EngineRefusalError);
    expect(error).toMatchObject({ cause, message: expect.stringContaining('what the server says. ') });
  },
);

test.each([1290, 1792, 1836])('%i, a server that is read-only, may become the primary: no refusal', (errno) => {
  expect(explained(serverError(errno), settings)).toBeInstanceOf(EngineStandbyError);
});

test.each([
  ['a deadlock', serverError(1213)],
  ['a lock that others hold', serverError(1205)],
  ['a server that is full', serverError(1040)],
  ['a node that is not ready', serverError(1047)],
  ['a network that fails', Object.assign(new Error('refused'), { code: 'ECONNREFUSED', errno: -111 })],
  ['an error of another kind with such a number', Object.assign(new Error('odd'), { errno: 1045 })],
  ['an error of the library', new RequestTimeoutError('read', 250)],
  ['something that is no error', 'boom'],
])('%s is left as it is', (_what, error) => {
  expect(explained(error, settings)).toBe(error);
});
