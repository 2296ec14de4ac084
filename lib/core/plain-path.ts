const SEGMENT = /^[\w~-][\w.~-]*$/;

/**
 * A path without the slash before and after it. One or more plain segments: no parameter, no wildcard, nothing to decode,
 * so that it means the same to every router.
 *
 * @returns `undefined` for anything else
 */
export function plainPath(path: unknown): string | undefined {
  const segments = typeof path === 'string' ? path.replace(/^\/|\/$/g, '').split('/') : [];
  if (segments.length === 0 || !segments.every((segment) => SEGMENT.test(segment))) return undefined;
  return segments.join('/');
}
