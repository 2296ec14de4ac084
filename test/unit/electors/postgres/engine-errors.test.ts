import { expect, test } from '@jest/globals';
import { EngineRefusalError, EngineStandbyError, RequestTimeoutError } from '../../../../lib/core/errors.js';
import { explained } from '../../../../lib/electors/postgres/engine-errors.js';
import { serverError } from './scripted-connections.js';

const settings = { table: 'leases', createTable: true };

test.each(['28P01', '28000', '3D000', '3F000', '42501', '42P01', '42703', '42804', '42704'])(
  '%s stays until somebody acts: a refusal that keeps its cause',
  (code) => {
    const cause = serverError(code, 'what the server says');

    const error = explained(cause, settings);

    expect(error).toBeInstanceOf(EngineRefusalError);
    expect(error).toMatchObject({ cause, message: expect.stringContaining('what the server says. ') });
  },
);

test('a server that is read-only may become the primary: no refusal', () => {
  expect(explained(serverError('25006'), settings)).toBeInstanceOf(EngineStandbyError);
});

test.each([
  ['a server that is full', serverError('53300')],
  ['a server that shuts down', serverError('57P01')],
  ['a network that fails', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
  ['an error of another kind with such a code', Object.assign(new Error('odd'), { code: '28P01' })],
  ['an error of the library', new RequestTimeoutError('read', 250)],
  ['something that is no error', 'boom'],
])('%s is left as it is', (_what, error) => {
  expect(explained(error, settings)).toBe(error);
});
