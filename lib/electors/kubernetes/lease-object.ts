import { EngineAnswerError } from '../../core/errors.js';
import { tokenIn } from '../../core/lease/token-text.js';

/** A Lease as the API has it. What it has beside this is kept as it is. */
export interface LeaseObject {
  readonly metadata: LeaseMetadata;
  readonly spec: LeaseSpec;
}

export interface LeaseMetadata {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly managedFields?: unknown;
}

/** The fields that client-go knows, too. */
export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** Checks what the API has answered. @throws EngineAnswerError */
export function leaseObjectOf(operation: string, body: unknown): LeaseObject {
  const { metadata, spec = {} } = asRecord(body) as { metadata?: unknown; spec?: unknown };
  const { name, uid, resourceVersion } = asRecord(metadata) as Partial<Record<keyof LeaseMetadata, unknown>>;
  if (typeof name !== 'string' || typeof uid !== 'string') {
    throw new EngineAnswerError(operation, 'it is no Lease with a name and a uid');
  }
  if (tokenIn(resourceVersion) === undefined) {
    throw new EngineAnswerError(operation, `its resourceVersion ${String(resourceVersion)} is no number`);
  }
  return { ...(body as object), spec: asRecord(spec), metadata: metadata as LeaseMetadata };
}

/** Later writes of one object have larger ones: the revision of the cluster's store. */
export function revisionOf({ metadata }: LeaseObject): bigint {
  return BigInt(metadata.resourceVersion);
}

/** As the API wants it: with exactly six digits after the point. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace(/(\.\d{3})Z$/, '$1000Z');
}

/**
 * The time of a write by the same holder: now, and never in the same second as the one before, nor earlier. A write that
 * changes nothing gets no new version, client-go compares whole seconds, and a clock that is set back could show a time a
 * second time: followers would not see that the holder is alive. Nobody compares these times with a clock.
 */
export function timeAfter(previous: string | undefined, wallMs: number): string {
  const previousMs = Date.parse(previous ?? '');
  if (Number.isNaN(previousMs)) return microTime(wallMs);
  return microTime(Math.max(wallMs, (Math.floor(previousMs / 1000) + 1) * 1000));
}

/**
 * What followers compare. It changes with every write of a holder, and not with those of others to labels, annotations or
 * the like: they would make a dead holder look alive.
 */
export function versionOf({ metadata, spec }: LeaseObject): string {
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = spec;
  const written = [holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions];
  return JSON.stringify([metadata.uid, ...written]);
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
