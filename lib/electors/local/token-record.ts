/** What is kept of the last term of an election. */
export interface TokenRecord {
  readonly token: bigint;
  readonly identity: string;
  readonly address?: string;
}

/** What databases can keep, so that a fenced resource can compare it. */
const LARGEST_TOKEN = 2n ** 63n - 1n;

export function formatTokenRecord({ token, ...rest }: TokenRecord): string {
  return `${JSON.stringify({ token: String(token), ...rest })}\n`;
}

/** Returns `undefined` for what `formatTokenRecord` has not made. */
export function parseTokenRecord(text: string): TokenRecord | undefined {
  const { token, identity, address } = parsed(text);
  if (typeof token !== 'string' || !/^\d{1,19}$/.test(token) || typeof identity !== 'string') return undefined;
  if (BigInt(token) > LARGEST_TOKEN) return undefined;
  return { token: BigInt(token), identity, ...(typeof address === 'string' && { address }) };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
