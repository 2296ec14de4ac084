import type { ReleaseNotice } from './lease-store.js';
import { tokenIn } from './token-text.js';

/** Of the token as a message has it; `undefined` when it has none. */
export function releaseNotice(text: string): ReleaseNotice | undefined {
  const token = tokenIn(text);
  return token === undefined ? undefined : { token };
}
