import type { Clock } from '../../core/clock.js';
import type { Diagnosis } from '../../core/elector.js';
import { isStill } from '../../core/lease/lease-basis.js';
import type {
  AcquireResult,
  HeldRecord,
  LeaseClaim,
  LeaseRecord,
  LeaseStore,
  LeaseToRelease,
  OwnLease,
  RenewResult,
} from '../../core/lease/lease-store.js';
import type { OnHint } from '../../core/lease/lease-watch.js';
import type { EtcdClient } from './etcd-client.js';
import { diagnoseEtcd } from './etcd-diagnosis.js';
import { KeyWatch } from './key-watch.js';
import { LeaseSight } from './lease-sight.js';
import { foundIn, ifAbsent, ifUnchanged, ifValue, never, outcomeOf, writeIf, type Comparison } from './lease-txn.js';
import { base64, heldValue, holderIn, partsOf, releasedValue, versionOf, type KeyVersion } from './lease-value.js';

export interface EtcdLeaseStoreOptions {
  readonly client: EtcdClient;
  readonly namespace: string;
  readonly keyPrefix: string;
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
}

type Found = LeaseRecord & { readonly version?: string };
type Condition = { readonly compare: readonly Comparison[]; readonly lastToken: bigint } | { readonly lost: Found };

/**
 * Leases on one etcd cluster, each one key that stays: who holds it, or that it was released, and the token. A holder that
 * does not write is told by the follower's own clock; etcd's leases are not used, since a cluster may revoke one that was
 * kept alive.
 *
 * All writes compare the write that they replace. So one that is done twice, or arrives late after anything else was
 * written, does nothing; and one whose answer was lost is known by its value, which no other write has.
 */
export class EtcdLeaseStore implements LeaseStore {
  readonly #sights = new Map<string, LeaseSight>();
  #writes = 0;
  /** The highest time of day that a member has told, in µs. */
  #engineTimeUs = 0n;

  constructor(private readonly options: EtcdLeaseStoreOptions) {}

  async read(election: string, signal: AbortSignal): Promise<LeaseRecord> {
    const found = await this.#find('read', election, signal);
    const sight = this.#sight(election);
    sight.noteRead('read', found);
    return sight.judged(found);
  }

  async acquire(claim: LeaseClaim, signal: AbortSignal): Promise<AcquireResult> {
    const { election, tokenAbove } = claim;
    const condition = await this.#conditionOf(claim, signal);
    if ('lost' in condition) return { won: false, record: this.#sight(election).judged(condition.lost) };
    const token = highest(condition.lastToken + 1n, tokenAbove + 1n, this.#engineTimeUs);
    const value = heldValue(claim, token, ++this.#writes);
    const outcome = await this.#write('acquire', election, condition.compare, value, signal);
    if ('version' in outcome) return { won: true, token, version: outcome.version };
    return { won: false, record: this.#sight(election).judged(outcome.found) };
  }

  async renew(lease: OwnLease, signal: AbortSignal): Promise<RenewResult> {
    const { election } = lease;
    const last = ownVersion('renew', lease);
    if (last === undefined) return { renewed: false, record: await this.#find('renew', election, signal) };
    const value = heldValue(lease, lease.token, ++this.#writes);
    const compare = ifUnchanged(this.#key(election), last);
    const outcome = await this.#write('renew', election, compare, value, signal);
    if ('version' in outcome) return { renewed: true, version: outcome.version };
    // It is still ours when the answer to the renewal before was lost: the loop renews from what is found.
    return { renewed: false, record: outcome.found };
  }

  async release(lease: LeaseToRelease, signal: AbortSignal): Promise<void> {
    const { election } = lease;
    const key = this.#key(election);
    let own = ownVersion('release', lease) ?? ownIn(await this.#find('release', election, signal), lease);
    while (own !== undefined) {
      const token = holderIn('release', own.value)?.token ?? 0n;
      const outcome = await this.#write('release', election, ifUnchanged(key, own), releasedValue(token), signal);
      if ('version' in outcome) return;
      // A renewal whose answer was lost has come before it, or somebody else.
      own = ownIn(outcome.found, lease);
    }
  }

  async watch(election: string, onHint: OnHint, signal: AbortSignal): Promise<void> {
    const { client, clock, requestTimeoutMs } = this.options;
    const key = this.#key(election);
    const sight = this.#sight(election);
    await new KeyWatch({ client, clock, requestTimeoutMs, key, sight, onHint }).run(signal);
  }

  async rehearse(election: string, signal: AbortSignal): Promise<void> {
    await this.#write('rehearse', election, never(this.#key(election)), releasedValue(0n), signal);
  }

  async diagnose(): Promise<Diagnosis[]> {
    return diagnoseEtcd(this.options);
  }

  close(): Promise<void> {
    this.options.client.close();
    return Promise.resolve();
  }

  /** What has to hold so that the basis of the claim is still what etcd has. */
  async #conditionOf({ election, basis }: LeaseClaim, signal: AbortSignal): Promise<Condition> {
    const key = this.#key(election);
    if (basis.kind === 'absent') return { compare: ifAbsent(key), lastToken: 0n };
    const { token } = basis;
    const last = partsOf('acquire', basis.version);
    if (last !== undefined && token !== undefined) return { compare: ifUnchanged(key, last), lastToken: token };
    if (basis.kind === 'released' && token !== undefined) {
      return { compare: ifValue(key, releasedValue(token)), lastToken: token };
    }
    const found = await this.#find('acquire', election, signal);
    const version = partsOf('acquire', found.version);
    if (version === undefined || !isStill(found, basis)) return { lost: found };
    return { compare: ifUnchanged(key, version), lastToken: tokenIn(found) };
  }

  async #find(operation: string, election: string, signal: AbortSignal): Promise<Found> {
    return foundIn(operation, await this.#ask(operation, '/v3/kv/range', { key: this.#key(election) }, signal));
  }

  /** @returns the version that was written, or what is there instead */
  async #write(
    operation: string,
    election: string,
    compare: readonly Comparison[],
    value: string,
    signal: AbortSignal,
  ): Promise<{ readonly version: string } | { readonly found: Found }> {
    const body = writeIf(this.#key(election), compare, value);
    const outcome = outcomeOf(operation, await this.#ask(operation, '/v3/kv/txn', body, signal));
    if (outcome.written) return { version: versionOf({ revision: outcome.revision, value }) };
    const { found } = outcome;
    // Sent a second time because the answer to the first did not come: it was done then.
    if (partsOf(operation, found.version)?.value === value) return { version: String(found.version) };
    return { found };
  }

  async #ask(operation: string, path: string, body: object, signal: AbortSignal): Promise<unknown> {
    const answer = await this.options.client.call(operation, path, body, signal);
    if (answer.dateMs !== undefined) this.#engineTimeUs = highest(this.#engineTimeUs, BigInt(answer.dateMs) * 1000n);
    return answer.body;
  }

  #sight(election: string): LeaseSight {
    let sight = this.#sights.get(election);
    if (sight === undefined) {
      sight = new LeaseSight(this.options.clock, this.options.requestTimeoutMs);
      this.#sights.set(election, sight);
    }
    return sight;
  }

  /** In base64. */
  #key(election: string): string {
    const { keyPrefix, namespace } = this.options;
    return base64(`${keyPrefix}${namespace}/${election}`);
  }
}

/** The holder's last write as it knows it. */
function ownVersion(operation: string, lease: LeaseToRelease): KeyVersion | undefined {
  const parts = partsOf(operation, lease.version);
  if (parts === undefined) return undefined;
  const holder = holderIn(operation, parts.value);
  return holder !== undefined && isOwn(holder, lease) ? parts : undefined;
}

function ownIn(found: Found, lease: LeaseToRelease): KeyVersion | undefined {
  return found.kind === 'held' && isOwn(found, lease) ? partsOf('release', found.version) : undefined;
}

function isOwn({ holder, token }: HeldRecord, lease: LeaseToRelease): boolean {
  return holder === lease.holder && (lease.token === undefined || token === lease.token);
}

function tokenIn(found: Found): bigint {
  return found.kind === 'absent' ? 0n : (found.token ?? 0n);
}

function highest(first: bigint, ...others: readonly bigint[]): bigint {
  return others.reduce((most, it) => (it > most ? it : most), first);
}
