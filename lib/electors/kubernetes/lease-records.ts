import type { LeaseHolder, LeaseRecord, OwnLease } from '../../core/lease/lease-store.js';
import { noteAbout, NOTE_ANNOTATION, noteOf, type LeaseNote } from './lease-note.js';
import { microTime, revisionOf, timeAfter, versionOf, type LeaseObject, type LeaseSpec } from './lease-object.js';

/** Of a holder that does not say how long its lease is: what client-go has by default, in milliseconds. */
const UNKNOWN_LEASE_MS = 15_000;

/** What is sent to the API. */
export type LeaseBody = object;

/**
 * What a Lease says, in the terms of the port.
 *
 * @param unchangedMs for how long its holder has not written to it, at least: one that has let its lease run out is told
 *   from one that renews by that and by nothing else
 */
export function recordOf(lease: LeaseObject, unchangedMs: number): Exclude<LeaseRecord, { kind: 'absent' }> {
  const note = noteOf(lease);
  const common = {
    version: versionOf(lease),
    ...(note?.token !== undefined && { token: BigInt(note.token) }),
  };
  const holder = holderOf(lease, note);
  if (holder === '') return { kind: 'released', ...common };
  const own = note?.holder === holder ? note : undefined;
  const leaseMs = own?.leaseMs ?? durationMs(lease.spec);
  if (unchangedMs >= leaseMs) return { kind: 'vacant', ...common };
  return {
    kind: 'held',
    holder,
    identity: own?.identity ?? holder,
    leaseMs,
    remainingMs: leaseMs - unchangedMs,
    ...common,
    ...(own?.address !== undefined && { address: own.address }),
  };
}

/** Whether somebody has emptied the spec by hand. A holder that leaves says so in its note; this one may still lead. */
export function isEmptied(lease: LeaseObject): boolean {
  return !lease.spec.holderIdentity && holderOf(lease, noteOf(lease)) !== '';
}

function holderOf({ spec }: LeaseObject, note: LeaseNote | undefined): string {
  return spec.holderIdentity || (note?.holder ?? '');
}

/**
 * Whether a Lease is held by that holder, under its token if it has been told one.
 *
 * @param won the token that it was told, where that is known: until it has renewed, the Lease does not show it for sure
 */
export function isHeldBy(
  lease: LeaseObject,
  { holder, token }: Pick<LeaseHolder, 'holder'> & Partial<Pick<OwnLease, 'token'>>,
  won?: bigint,
): boolean {
  if (lease.spec.holderIdentity !== holder) return false;
  if (token === undefined) return true;
  const noted = noteOf(lease)?.token;
  // Not renewed so far, and nobody else has written labels or the like: it is still the write that took the Lease.
  return noted === undefined ? token === (won ?? revisionOf(lease)) : noted === `${token}`;
}

/** The Lease as its new holder writes it. */
export function takenBy(claim: LeaseHolder, before: LeaseObject | undefined, name: string, wallMs: number): LeaseBody {
  const transitions = before?.spec.leaseTransitions ?? 0;
  const isOwn = before?.spec.holderIdentity === claim.holder;
  const isTakeover = before !== undefined && !isOwn;
  const time = isOwn ? timeAfter(before.spec.renewTime, wallMs) : microTime(wallMs);
  const spec = {
    ...before?.spec,
    holderIdentity: claim.holder,
    leaseDurationSeconds: Math.ceil(claim.leaseMs / 1000),
    acquireTime: time,
    renewTime: time,
    leaseTransitions: isTakeover ? transitions + 1 : transitions,
  };
  return written(before, name, spec, noteAbout(claim, time));
}

/** The Lease as its holder renews it. */
export function renewedBy(lease: OwnLease, before: LeaseObject, wallMs: number): LeaseBody {
  const { acquireTime = '', renewTime } = before.spec;
  const spec = {
    ...before.spec,
    leaseDurationSeconds: Math.ceil(lease.leaseMs / 1000),
    renewTime: timeAfter(renewTime, wallMs),
  };
  return written(before, before.metadata.name, spec, noteAbout(lease, acquireTime, lease.token));
}

/** The Lease as its holder gives it back: a duration of 0 is not valid. */
export function releasedFrom(before: LeaseObject, token: bigint | undefined, wallMs: number): LeaseBody {
  const time = microTime(wallMs);
  const spec = { ...before.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
  const note = { holder: '', acquireTime: time, ...(token !== undefined && { token: `${token}` }) };
  return written(before, before.metadata.name, spec, note);
}

function written(before: LeaseObject | undefined, name: string, spec: LeaseSpec, note: LeaseNote): LeaseBody {
  const { managedFields: _serverKeepsThem, ...metadata } = before?.metadata ?? { name };
  const annotations = { ...before?.metadata.annotations, [NOTE_ANNOTATION]: JSON.stringify(note) };
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...metadata, annotations },
    spec,
  };
}

function durationMs({ leaseDurationSeconds: seconds }: LeaseSpec): number {
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : UNKNOWN_LEASE_MS;
}
