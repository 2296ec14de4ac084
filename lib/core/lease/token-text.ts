/** As many digits as any engine's tokens have. */
const TOKEN = /^\d{1,39}$/;

/** A fencing token that was kept or sent as a text; `undefined` when it is none: whoever may write there may write anything. */
export function tokenIn(text: unknown): bigint | undefined {
  return typeof text === 'string' && TOKEN.test(text) ? BigInt(text) : undefined;
}
