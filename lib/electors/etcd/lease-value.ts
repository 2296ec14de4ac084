import { EngineAnswerError } from '../../core/errors.js';
import type { FreeRecord, HeldRecord, LeaseHolder, LeaseRecord, RecordVersion } from '../../core/lease/lease-store.js';
import { tokenIn } from '../../core/lease/token-text.js';
import { isObject } from './gateway-error.js';

/** One write of a key: what a comparison needs to find out whether it is still the last. */
export interface KeyVersion {
  readonly revision: string;
  /** In base64, as the gateway has it. */
  readonly value: string;
}

/**
 * The value of a key, in base64.
 *
 * @param write different for every write of a holder, so that no two writes are the same to anybody, not even in a cluster
 * whose revisions began anew, or went on from a backup
 */
export function heldValue(holder: LeaseHolder, token: bigint, write: number): string {
  const { identity, leaseMs, address } = holder;
  const fields = { holder: holder.holder, identity, leaseMs: Math.ceil(leaseMs), token: `${token}`, address, write };
  return base64(JSON.stringify({ state: 'held', ...fields }));
}

/** The same for the same token, so that it can be compared by those who know no more of it. */
export function releasedValue(token: bigint): string {
  return base64(JSON.stringify({ state: 'released', token: `${token}` }));
}

/** A key with its prefix, as the gateway takes it. */
export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/**
 * What a key holds. The version of a record is the revision of its last write, and its value: a cluster that lost its data
 * counts revisions from one again.
 *
 * @param keyValue `undefined`: there is no such key
 * @throws EngineAnswerError
 */
export function recordOf(operation: string, keyValue: unknown): LeaseRecord & { readonly version?: string } {
  if (keyValue === undefined) return { kind: 'absent' };
  const { mod_revision: revision, value } = isObject(keyValue) ? keyValue : {};
  if (typeof revision !== 'string') throw new EngineAnswerError(operation, 'the key has no revision');
  if (typeof value !== 'string') throw new EngineAnswerError(operation, 'the key has no value');
  return lease(operation, value, versionOf({ revision, value }));
}

/** Who holds the lease by that value. @throws EngineAnswerError */
export function holderIn(operation: string, value: string): HeldRecord | undefined {
  const record = lease(operation, value, '');
  return record.kind === 'held' ? record : undefined;
}

export function versionOf({ revision, value }: KeyVersion): string {
  return `${revision} ${value}`;
}

/** `undefined`: there is none. @throws EngineAnswerError when it is not one of ours */
export function partsOf(operation: string, version: RecordVersion | undefined): KeyVersion | undefined {
  if (version === undefined) return undefined;
  const [revision = '', value] = String(version).split(' ');
  if (value === undefined) throw new EngineAnswerError(operation, `the version is "${String(version)}"`);
  return { revision, value };
}

function lease(
  operation: string,
  value: string,
  version: string,
): (HeldRecord | FreeRecord) & { readonly version: string } {
  const fields = parsed(operation, value);
  const { state, holder, identity, leaseMs, address } = fields;
  const token = tokenOf(operation, fields['token']);
  if (state === 'released') return { kind: 'released', token, version };
  if (state !== 'held') throw new EngineAnswerError(operation, `the state is ${JSON.stringify(state)}`);
  if (typeof holder !== 'string' || typeof identity !== 'string' || typeof leaseMs !== 'number') {
    throw new EngineAnswerError(operation, 'holder, identity or leaseMs is missing');
  }
  const reachedAt = typeof address === 'string' && address !== '' && { address };
  return { kind: 'held', holder, identity, leaseMs, token, version, ...reachedAt };
}

function parsed(operation: string, value: string): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(Buffer.from(value, 'base64').toString());
    if (isObject(fields)) return fields;
  } catch {
    // Said below.
  }
  throw new EngineAnswerError(operation, 'the value is not one that an elector writes');
}

function tokenOf(operation: string, token: unknown): bigint {
  const known = tokenIn(token);
  if (known === undefined) throw new EngineAnswerError(operation, `the token is ${JSON.stringify(token)}`);
  return known;
}
