import { Redis } from 'ioredis';
import { systemClock, type Clock } from '../../../lib/core/clock.js';
import type { LeaseHolder, LeaseRecord } from '../../../lib/core/lease/lease-store.js';
import { RedisConnections, type RedisSource } from '../../../lib/electors/redis/redis-connections.js';
import { RedisLeaseStore } from '../../../lib/electors/redis/redis-lease-store.js';
import type { ReplicaWait } from '../../../lib/electors/redis/replica-wait.js';

export const REQUEST_TIMEOUT_MS = 2000;
const ELECTION = 'default';

export interface StoreOptions {
  readonly source?: RedisSource;
  readonly clock?: Clock;
  readonly wait?: ReplicaWait;
  readonly keyPrefix?: string;
  readonly requestTimeoutMs?: number;
}

let opened = 0;

/** Stores of one election of its own, and a client that looks behind them. */
export class StoreRig {
  readonly namespace = `rig-${++opened}`;
  readonly admin: Redis;
  readonly #stores: RedisLeaseStore[] = [];

  constructor(private readonly port: number) {
    this.admin = new Redis({ host: '127.0.0.1', port });
    this.admin.on('error', () => undefined);
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get leaseKey(): string {
    return `{${this.namespace}/${ELECTION}}:lease`;
  }

  get tokenKey(): string {
    return `{${this.namespace}/${ELECTION}}:token`;
  }

  open(options: StoreOptions = {}): RedisLeaseStore {
    const { source = { url: this.url }, clock = systemClock, wait, keyPrefix = '' } = options;
    const { requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
    const connections = new RedisConnections(source, requestTimeoutMs);
    const { namespace } = this;
    const store = new RedisLeaseStore({ connections, namespace, keyPrefix, requestTimeoutMs, wait, clock });
    this.#stores.push(store);
    return store;
  }

  holder(identity: string, leaseMs = 30_000): LeaseHolder {
    return { election: ELECTION, holder: `${identity}#1`, identity, leaseMs };
  }

  read(store: RedisLeaseStore): Promise<LeaseRecord> {
    return store.read(ELECTION, soon());
  }

  /** Takes the lease on the strength of what is read now. */
  async take(store: RedisLeaseStore, holder: LeaseHolder, tokenAbove = 0n) {
    const basis = await this.read(store);
    const result = await store.acquire({ ...holder, basis, tokenAbove }, soon());
    if (!result.won) throw new Error(`${holder.identity} has not won`);
    return { ...holder, ...result };
  }

  async close(): Promise<void> {
    await Promise.all(this.#stores.map((it) => it.close()));
    this.admin.disconnect();
  }
}

/** For requests that are answered. */
export function soon(): AbortSignal {
  return AbortSignal.timeout(20_000);
}
