import { ManagementPathError } from '../../../lib/core/errors.js';
import type { ManagementRoute } from '../../../lib/management/management-route.js';
import { RouteTable } from '../../../lib/management/route-table.js';

const route = (path: string, hasSubtree = false): ManagementRoute => ({
  path,
  hasSubtree,
  owner: `the owner of ${path}`,
  serve: async () => undefined,
});
const table = new RouteTable([route('health'), route('health/live'), route('lifecycle', true)]);

it.each([
  ['/health', 'health'],
  ['/health?x=/health/live', 'health'],
  ['/health/live', 'health/live'],
  ['/lifecycle', 'lifecycle'],
  ['/lifecycle/', 'lifecycle'],
  ['/lifecycle/actions/restart?x', 'lifecycle'],
  ['/lifecycle/../health', 'lifecycle'],
])('finds for %s the route of %s', (url, path) => {
  expect(table.find(url)?.path).toBe(path);
});

it.each([
  '',
  '/',
  'health',
  'Xhealth',
  '/health/',
  '//health',
  '/Health',
  '/healthy',
  '/lifecycles',
  '/__proto__',
  '/health#live',
  '*',
  'http://host/health',
  '?/health',
])('finds nothing for %j', (url) => {
  expect(table.find(url)).toBeUndefined();
});

it.each([
  [[route('a'), route('a')], '/a'],
  [[route('a', true), route('a')], '/a'],
  [[route('a', true), route('a/b')], '/a/b'],
  [[route('a/b'), route('a', true)], '/a/b'],
  [[route('a', true), route('a/b', true)], '/a/b'],
])('refuses %# that want one path', (routes, path) => {
  expect(() => new RouteTable(routes)).toThrow(ManagementPathError);
  expect(() => new RouteTable(routes)).toThrow(`Path "${path}"`);
});

it('takes paths that only begin alike', () => {
  expect(new RouteTable([route('a', true), route('ab'), route('a-b', true)]).paths).toEqual(['/a', '/ab', '/a-b']);
});
