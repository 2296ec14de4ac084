import type { StatusRequest } from './status-answer.js';

/** A form cannot set it, and a script of another site only where the app allows that by CORS. */
const ACTION_HEADER = 'x-lifecycle-action';

/**
 * Whether an action comes from the page itself, or from a program that is no browser: the cookies of a person who looks
 * at another site must not be enough to act here.
 *
 * @returns why not
 */
export function foreignOrigin({ headers }: StatusRequest): string | undefined {
  if (headers[ACTION_HEADER] !== '1') return `An action needs the header "${ACTION_HEADER}: 1".`;
  const site = headers['sec-fetch-site'];
  // The browser's own word, which holds behind any proxy; over plain HTTP it gives none.
  if (site !== undefined) return site === 'same-origin' ? undefined : 'An action has to come from the page itself.';
  const { origin } = headers;
  if (origin === undefined || hostOf(origin) === headers['host']) return undefined;
  return 'An action has to come from the page itself. Let the proxy keep the Host header.';
}

function hostOf(origin: unknown): string | undefined {
  try {
    return new URL(String(origin)).host;
  } catch {
    // `null`, the origin of a sandboxed frame, is one as well.
    return undefined;
  }
}
