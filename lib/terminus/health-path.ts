import { InvalidOptionError } from '../core/errors.js';

const SEGMENT = /^[\w~-][\w.~-]*$/;

/**
 * The path of the health controller without slashes around it.
 *
 * @throws InvalidOptionError unless it is one or more plain path segments, without parameters or wildcards
 */
export function normalizeHealthPath(path: unknown): string {
  const segments = typeof path === 'string' ? path.replace(/^\/|\/$/g, '').split('/') : [];
  if (segments.length > 0 && segments.every((segment) => SEGMENT.test(segment))) return segments.join('/');
  throw new InvalidOptionError({
    option: 'health.path',
    value: path,
    where: 'LifecycleModule',
    expected: 'a path of letters, digits, "-", "_", "." and "~", for example "health" or "internal/health"',
    remedy: 'Correct it, or turn the endpoints off and use LifecycleHealthIndicator in a controller of your own.',
  });
}
