import type { ReleaseNotice } from './lease-store.js';

/** Of the token as a message has it; `undefined` when it has none: whoever may write to the channel may write anything. */
export function releaseNotice(token: string): ReleaseNotice | undefined {
  return /^\d{1,39}$/.test(token) ? { token: BigInt(token) } : undefined;
}
