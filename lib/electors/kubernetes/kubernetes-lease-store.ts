import type { Clock } from '../../core/clock.js';
import type { Diagnosis } from '../../core/elector.js';
import type {
  AcquireResult,
  LeaseClaim,
  LeaseRecord,
  LeaseStore,
  LeaseToRelease,
  OwnLease,
  RenewResult,
} from '../../core/lease/lease-store.js';
import type { OnHint } from '../../core/lease/lease-watch.js';
import { ApiStatusError } from './api-errors.js';
import type { ApiClient } from './api-client.js';
import { KnownLeases } from './known-leases.js';
import { diagnoseKubernetes } from './kubernetes-diagnosis.js';
import { LeaseApi } from './lease-api.js';
import { revisionOf, versionOf, type LeaseObject } from './lease-object.js';
import { isEmptied, isHeldBy, recordOf, releasedFrom, renewedBy, takenBy, type LeaseBody } from './lease-records.js';
import { LeaseWatch } from './lease-watch.js';

export interface KubernetesLeaseStoreOptions {
  readonly client: ApiClient;
  /** The name of the Lease of an election. */
  readonly nameOf: (election: string) => string;
  readonly renewMs: number;
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
}

/** What a release does about writes of others that come between. */
const RELEASE_ATTEMPTS = 3;

/**
 * Leases of Kubernetes. Every write replaces the version that it was made from, so that one which arrives late, after
 * somebody else has written, does nothing.
 */
export class KubernetesLeaseStore implements LeaseStore {
  readonly #api: LeaseApi;
  readonly #known: KnownLeases;
  /** By the name of the Lease: who has won it here last, what it was told, and which Lease that was. */
  readonly #won = new Map<string, Pick<OwnLease, 'holder' | 'token'> & { readonly uid: string }>();
  /** By the name of the Lease: what an update has created where nothing was left to be replaced. It has won nothing. */
  readonly #mistakes = new Map<string, string>();
  /** The name of the Lease that was read last: one that this user should be allowed to use. */
  #lookedAt: string | undefined;

  constructor(private readonly options: KubernetesLeaseStoreOptions) {
    this.#api = new LeaseApi(options.client);
    this.#known = new KnownLeases(options.clock);
  }

  async read(election: string, signal: AbortSignal): Promise<LeaseRecord> {
    return this.#recordOf(await this.#look(this.#nameOf(election), signal));
  }

  async acquire(claim: LeaseClaim, signal: AbortSignal): Promise<AcquireResult> {
    const name = this.#nameOf(claim.election);
    const before = await this.#basis(name, claim.basis, signal);
    if (before === 'other') return { won: false, record: this.#recordOf(this.#known.get(name)) };
    const body = takenBy(claim, before, name, this.options.clock.wallNow());
    const taken = before === undefined ? await this.#create(body, signal) : await this.#update(name, body, signal);
    if (taken === undefined) return { won: false, record: this.#recordOf(await this.#look(name, signal)) };
    const token = revisionOf(taken);
    this.#won.set(name, { holder: claim.holder, token, uid: taken.metadata.uid });
    return { won: true, token, version: versionOf(taken) };
  }

  async renew(lease: OwnLease, signal: AbortSignal): Promise<RenewResult> {
    const name = this.#nameOf(lease.election);
    const before = this.#knownOf(name, lease) ?? (await this.#look(name, signal));
    if (before === undefined) return { renewed: false, record: { kind: 'absent' } };
    if (!this.#isHeldBy(before, lease)) return this.#notRenewed(before, lease);
    const renewed = await this.#update(name, renewedBy(lease, before, this.options.clock.wallNow()), signal);
    if (renewed !== undefined) return { renewed: true, version: versionOf(renewed) };
    const now = await this.#look(name, signal);
    return now === undefined ? { renewed: false, record: { kind: 'absent' } } : this.#notRenewed(now, lease);
  }

  async release(lease: LeaseToRelease, signal: AbortSignal): Promise<void> {
    const name = this.#nameOf(lease.election);
    let before = this.#knownOf(name, lease) ?? (await this.#look(name, signal));
    for (let attempt = 0; attempt < RELEASE_ATTEMPTS; attempt++) {
      if (before === undefined || !this.#isHeldBy(before, lease)) return;
      const body = releasedFrom(before, lease.token, this.options.clock.wallNow());
      if ((await this.#update(name, body, signal)) !== undefined) return;
      before = await this.#look(name, signal);
    }
    const call = { verb: 'update', name, expected: [] } as const;
    throw new ApiStatusError(409, call, 'others have written to it again and again');
  }

  async watch(election: string, onHint: OnHint, signal: AbortSignal): Promise<void> {
    const { clock, renewMs } = this.options;
    const name = this.#nameOf(election);
    await new LeaseWatch({ api: this.#api, known: this.#known, name, clock, renewMs, onHint }).run(signal);
  }

  diagnose(): Promise<Diagnosis[]> {
    return diagnoseKubernetes(this.options, this.#api, this.#lookedAt);
  }

  close(): Promise<void> {
    this.options.client.close();
    return Promise.resolve();
  }

  /** What the claim is to replace; `undefined`: nothing; 'other': something else is there, and known now. */
  async #basis(name: string, basis: LeaseRecord, signal: AbortSignal): Promise<LeaseObject | undefined | 'other'> {
    if (basis.kind === 'absent') return undefined;
    const known = this.#known.get(name);
    if (known !== undefined && this.#isBasis(basis, known)) return known;
    const now = await this.#look(name, signal);
    return now !== undefined && this.#isBasis(basis, now) ? now : 'other';
  }

  /** What is known of it, if that is the lease of this holder. */
  #knownOf(name: string, lease: LeaseToRelease): LeaseObject | undefined {
    const known = this.#known.get(name);
    return known !== undefined && this.#isHeldBy(known, lease) ? known : undefined;
  }

  #isHeldBy(found: LeaseObject, lease: LeaseToRelease): boolean {
    if (this.#isMistake(found)) return false;
    const won = this.#won.get(this.#nameOf(lease.election));
    if (won?.holder !== lease.holder) return isHeldBy(found, lease);
    // One that was deleted and created anew is another one, whatever it says.
    return won.uid === found.metadata.uid && isHeldBy(found, lease, won.token);
  }

  /** With the record while it is still this holder's: then only the version was outdated. */
  #notRenewed(found: LeaseObject, lease: OwnLease): RenewResult {
    // The record may name this holder all the same: an emptied one does, and one under another token.
    const isLost = isEmptied(found) || (found.spec.holderIdentity === lease.holder && !this.#isHeldBy(found, lease));
    return isLost ? { renewed: false } : { renewed: false, record: this.#recordOf(found) };
  }

  #recordOf(lease: LeaseObject | undefined): LeaseRecord {
    if (lease === undefined) return { kind: 'absent' };
    const record = recordOf(lease, this.#known.unchangedMs(lease));
    // Nobody is to take it for his own.
    return record.kind === 'held' && this.#isMistake(lease)
      ? { ...record, holder: `${record.holder} (nobody)` }
      : record;
  }

  #isMistake(lease: LeaseObject): boolean {
    return this.#mistakes.get(lease.metadata.name) === versionOf(lease);
  }

  /** Whether that is still what was read. A lease that has run out meanwhile is, while its holder has not written. */
  #isBasis(basis: Exclude<LeaseRecord, { kind: 'absent' }>, lease: LeaseObject): boolean {
    const record = this.#recordOf(lease);
    if (record.kind === 'absent' || (basis.version !== undefined && basis.version !== record.version)) return false;
    if (basis.token !== undefined && basis.token !== record.token) return false;
    const hasRunOut = basis.kind === 'held' && record.kind === 'vacant' && basis.version !== undefined;
    if (record.kind !== basis.kind && !hasRunOut) return false;
    return record.kind !== 'held' || basis.kind !== 'held' || basis.holder === record.holder;
  }

  async #look(name: string, signal: AbortSignal): Promise<LeaseObject | undefined> {
    this.#lookedAt = name;
    return this.#noted(name, await this.#api.get(name, signal));
  }

  async #create(body: LeaseBody, signal: AbortSignal): Promise<LeaseObject | undefined> {
    const created = await this.#api.create(body, signal);
    if (created !== undefined) this.#known.note(created);
    return created;
  }

  async #update(name: string, body: LeaseBody, signal: AbortSignal): Promise<LeaseObject | undefined> {
    // Refused, it is outdated, and without an answer it may be.
    this.#known.forget(name);
    const updated = await this.#api.update(name, body, signal);
    if (updated === undefined) return undefined;
    const { lease, isNew } = updated;
    if (!isNew) {
      this.#known.note(lease);
      return lease;
    }
    // Before it is removed: that may fail.
    this.#mistakes.set(name, versionOf(lease));
    await this.#api.remove(lease, signal);
    return undefined;
  }

  #noted(name: string, lease: LeaseObject | undefined): LeaseObject | undefined {
    if (lease === undefined) this.#known.forget(name);
    else this.#known.note(lease);
    return lease;
  }

  #nameOf(election: string): string {
    return this.options.nameOf(election);
  }
}
