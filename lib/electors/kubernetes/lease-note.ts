import type { LeaseHolder } from '../../core/lease/lease-store.js';
import { tokenIn } from '../../core/lease/token-text.js';
import type { LeaseObject } from './lease-object.js';

/** Where a Lease says what its spec has no field for. */
export const NOTE_ANNOTATION = 'nestjs-lifecycle/term';

/**
 * What an elector notes beside the spec. Others who write the spec leave it as it was, so it says which write it is about:
 * whoever takes a Lease, or releases it, writes another `acquireTime`.
 */
export interface LeaseNote {
  /** Empty: it was released. */
  readonly holder: string;
  readonly acquireTime: string;
  readonly identity?: string;
  readonly leaseMs?: number;
  readonly address?: string;
  /** Known to the first renewal: it is the version that the write before it was given. */
  readonly token?: string;
}

/** The note about what the spec says now; `undefined` when it is about something earlier, or there is none. */
export function noteOf({ metadata, spec }: LeaseObject): LeaseNote | undefined {
  const text = metadata.annotations?.[NOTE_ANNOTATION];
  if (text === undefined) return undefined;
  const note = parsed(text);
  return note?.acquireTime === spec.acquireTime && isText(note?.holder) ? checked(note) : undefined;
}

export function noteAbout(holder: LeaseHolder, acquireTime: string, token?: bigint): LeaseNote {
  const { identity, leaseMs, address } = holder;
  return {
    holder: holder.holder,
    acquireTime,
    identity,
    leaseMs,
    ...(address !== undefined && { address }),
    ...(token !== undefined && { token: `${token}` }),
  };
}

function parsed(text: string): Partial<Record<keyof LeaseNote, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // Somebody else has written it.
    return undefined;
  }
}

/** Whoever may write to the Lease may write anything. */
function checked(note: Partial<Record<keyof LeaseNote, unknown>>): LeaseNote {
  const { holder, acquireTime, identity, leaseMs, address, token } = note;
  return {
    holder: holder as string,
    acquireTime: acquireTime as string,
    ...(isText(identity) && { identity }),
    ...(typeof leaseMs === 'number' && leaseMs > 0 && { leaseMs }),
    ...(isText(address) && { address }),
    ...(isText(token) && tokenIn(token) !== undefined && { token }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
