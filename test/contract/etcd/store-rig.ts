import { systemClock, type Clock } from '../../../lib/core/clock.js';
import type { LeaseHolder, LeaseRecord } from '../../../lib/core/lease/lease-store.js';
import { EtcdClient, type EtcdClientOptions } from '../../../lib/electors/etcd/etcd-client.js';
import { EtcdLeaseStore } from '../../../lib/electors/etcd/etcd-lease-store.js';

export const REQUEST_TIMEOUT_MS = 2000;
export const KEY_PREFIX = 'rigs/';
const ELECTION = 'default';

export interface StoreOptions extends Partial<EtcdClientOptions> {
  readonly clock?: Clock;
  readonly requestTimeoutMs?: number;
}

let opened = 0;

/** Stores of one election of its own. */
export class StoreRig {
  readonly namespace = `rig-${++opened}`;
  readonly #stores: EtcdLeaseStore[] = [];

  constructor(private readonly endpoints: readonly string[]) {}

  get key(): string {
    return Buffer.from(`${KEY_PREFIX}${this.namespace}/${ELECTION}`).toString('base64');
  }

  open(options: StoreOptions = {}): EtcdLeaseStore {
    const { clock = systemClock, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
    const { endpoints = this.endpoints, tls, credentials } = options;
    const store = new EtcdLeaseStore({
      client: new EtcdClient({ endpoints, tls, credentials }),
      namespace: this.namespace,
      keyPrefix: KEY_PREFIX,
      requestTimeoutMs,
      clock,
    });
    this.#stores.push(store);
    return store;
  }

  holder(identity: string, leaseMs = 30_000): LeaseHolder {
    return { election: ELECTION, holder: `${identity}#1`, identity, leaseMs };
  }

  read(store: EtcdLeaseStore, signal = soon()): Promise<LeaseRecord> {
    return store.read(ELECTION, signal);
  }

  /** Takes the lease on the strength of what is read now. */
  async take(store: EtcdLeaseStore, holder: LeaseHolder) {
    const basis = await this.read(store);
    const result = await store.acquire({ ...holder, basis, tokenAbove: 0n }, soon());
    if (!result.won) throw new Error(`${holder.identity} has not won`);
    return { ...holder, ...result };
  }

  async close(): Promise<void> {
    await Promise.all(this.#stores.map((it) => it.close()));
  }
}

/** For requests that are answered. */
export function soon(): AbortSignal {
  return AbortSignal.timeout(20_000);
}
