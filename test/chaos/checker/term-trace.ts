/** Nanoseconds on the host's monotonic clock. */
export type Nanos = bigint;

export const ms = (milliseconds: number): Nanos => BigInt(Math.round(milliseconds * 1e6));
export const inMs = (nanos: Nanos): number => Math.round(Number(nanos / 1000n)) / 1000;

/** All that is known of one term in one process. */
export interface TermTrace {
  readonly election: string;
  readonly token: bigint;
  readonly who: string;
  /** The first and the last time at which the process is proven to have held the term to be valid. */
  firstSeen?: Nanos;
  lastSeen?: Nanos;
  elected?: Nanos;
  ended?: Nanos;
  working?: Nanos;
  settled?: Nanos;
  voluntary?: boolean;
  /** Its work outlived its time, and the elector said so. */
  overrun?: boolean;
  /** It was seen to be valid after it had ended; once is enough to say so. */
  outlived?: boolean;
}

/** A term that was seen: valid at two times, it was valid in between. */
export interface SeenTerm extends TermTrace {
  readonly firstSeen: Nanos;
  readonly lastSeen: Nanos;
}

export interface Violation {
  readonly check: string;
  readonly detail: string;
  readonly at?: Nanos;
}

export const isSeen = (term: TermTrace): term is SeenTerm => term.firstSeen !== undefined;

export function labelOf({ who, election, token }: Pick<TermTrace, 'who' | 'election' | 'token'>): string {
  return `${who} (${election}, token ${token})`;
}

export function byElection<T extends TermTrace>(terms: readonly T[]): T[][] {
  const elections = new Map<string, T[]>();
  for (const term of terms) elections.set(term.election, [...(elections.get(term.election) ?? []), term]);
  return [...elections.values()];
}
