import { InvalidOptionError } from '../core/errors.js';
import { plainPath } from '../core/plain-path.js';

/**
 * The path of the health endpoints without slashes around it.
 *
 * @throws InvalidOptionError unless it is one or more plain path segments, without parameters or wildcards
 */
export function normalizeHealthPath(path: unknown): string {
  const plain = plainPath(path);
  if (plain !== undefined) return plain;
  throw new InvalidOptionError({
    option: 'health.path',
    value: path,
    where: 'LifecycleModule',
    expected: 'a path of letters, digits, "-", "_", "." and "~", for example "health" or "internal/health"',
    remedy: 'Correct it, or turn the endpoints off and use LifecycleHealthIndicator in a controller of your own.',
  });
}
