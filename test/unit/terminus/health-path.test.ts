import { InvalidOptionError } from '../../../lib/core/errors.js';
import { createHealthController } from '../../../lib/terminus/health.controller.js';
import { normalizeHealthPath } from '../../../lib/terminus/health-path.js';

it.each([
  ['health', 'health'],
  ['/health', 'health'],
  ['/health/', 'health'],
  ['internal/health', 'internal/health'],
  ['_status', '_status'],
  ['health.json', 'health.json'],
])('takes %j as %j', (path, normalized) => {
  expect(normalizeHealthPath(path)).toBe(normalized);
});

it.each([
  '',
  '/',
  '//',
  'health//live',
  '../health',
  'a/./b',
  ':tenant/health',
  '*',
  'health*splat',
  'heal th',
  'health?x',
  '/health/(.*)',
  undefined,
  null,
  42,
  ['health'],
])('refuses %j', (path) => {
  expect(() => normalizeHealthPath(path)).toThrow(InvalidOptionError);
  expect(() => createHealthController({ path: path as string })).toThrow(/health\.path/);
});

it('makes a class of its own for each app', () => {
  expect(createHealthController({ path: 'health' })).not.toBe(createHealthController({ path: 'health' }));
});
