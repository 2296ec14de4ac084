import { EngineRefusalError } from '../../core/errors.js';
import type { AbsentRecord, FreeRecord, HeldRecord, LeaseHolder, LeaseRecord } from '../../core/lease/lease-store.js';
import { tokenIn } from '../../core/lease/token-text.js';

/** What the bucket holds under one key, and where. */
export interface Slot {
  /** Of the last message on the key's subject; 0: there is none. */
  readonly sequence: number;
  /** When that was stored, by the server's clock in µs; `undefined`: there is none. */
  readonly writtenAtUs?: bigint;
  readonly record: LeaseRecord;
  /** Who held the lease that was released. */
  readonly formerHolder?: string;
}

export const EMPTY_SLOT: Slot = { sequence: 0, record: { kind: 'absent' } };

/** As `STREAM.MSG.GET` answers it: texts in base64. */
export interface StoredMessage {
  readonly seq: number;
  readonly data?: string;
  readonly hdrs?: string;
  readonly time: string;
}

interface Written {
  readonly state?: unknown;
  readonly holder?: unknown;
  readonly identity?: unknown;
  readonly leaseMs?: unknown;
  readonly address?: unknown;
  readonly token?: unknown;
}

/** @throws EngineRefusalError when something else has written it */
export function slotOf(key: string, message: StoredMessage): Slot {
  const at = { sequence: message.seq, writtenAtUs: microseconds(message.time) };
  // What the tools of NATS leave in place of a key that they delete, and servers from 2.11 on of one that has run out.
  if (/^(?:KV-Operation|Nats-Marker-Reason):/im.test(decoded(message.hdrs)))
    return { ...at, record: { kind: 'absent' } };
  const written = parsed(decoded(message.data));
  const record = written === undefined ? undefined : recordOf(written, message.seq);
  if (record !== undefined) {
    return { ...at, record, ...(typeof written?.holder === 'string' && { formerHolder: written.holder }) };
  }
  throw new EngineRefusalError(
    `What the bucket holds under the key "${key}" is no lease: something else has written it. Delete the key, or use ` +
      'another namespace or bucket.',
  );
}

export function heldText({ holder, identity, leaseMs, address }: LeaseHolder, token: bigint): string {
  const state = 'held';
  return JSON.stringify({ state, holder, identity, leaseMs: Math.ceil(leaseMs), address, token: `${token}` });
}

/** The record stays when a lease is released, and keeps the token. */
export function releasedText({ holder, identity }: LeaseHolder, token: bigint): string {
  return JSON.stringify({ state: 'released', holder, identity, token: `${token}` });
}

/** Whether a lease is this holder's, under this token if one is given. */
export function isHeldBy(
  record: LeaseRecord,
  { holder, token }: { holder: string; token?: bigint },
): record is HeldRecord {
  return record.kind === 'held' && record.holder === holder && (token === undefined || record.token === token);
}

/** RFC 3339 with any number of fraction digits, as µs since the epoch. */
export function microseconds(time: string): bigint {
  const [, seconds = '', fraction = '', zone = ''] = /^([^.Z+]*?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  const ms = Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(ms)) throw new RangeError(`"${time}" is no time`);
  return BigInt(ms) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
}

function recordOf(written: Written, version: number): AbsentRecord | FreeRecord | HeldRecord | undefined {
  const { state, holder, identity, leaseMs, address, token: text } = written;
  const token = tokenIn(text);
  if (token === undefined) return undefined;
  if (state === 'released') return { kind: 'released', token, version };
  if (state !== 'held' || typeof holder !== 'string' || typeof leaseMs !== 'number') return undefined;
  return {
    kind: 'held',
    holder,
    identity: String(identity),
    leaseMs,
    token,
    version,
    ...(typeof address === 'string' && { address }),
  };
}

function decoded(base64: string | undefined): string {
  return Buffer.from(base64 ?? '', 'base64').toString();
}

function parsed(text: string): Written | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
