import type { LeaseHolder, LeaseRecord } from '../../../lib/core/lease/lease-store.js';
import { JetStream } from '../../../lib/electors/nats/jetstream.js';
import { LeaseBucket } from '../../../lib/electors/nats/lease-bucket.js';
import { NatsConnections, type NatsSource } from '../../../lib/electors/nats/nats-connections.js';
import { NatsLeaseStore } from '../../../lib/electors/nats/nats-lease-store.js';

export const REQUEST_TIMEOUT_MS = 2000;
export const ELECTION = 'default';

export interface StoreOptions {
  readonly source: NatsSource;
  readonly namespace: string;
  readonly bucket: string;
  readonly leaseMs?: number;
  readonly replicas?: number;
  readonly requestTimeoutMs?: number;
}

export function openStore(options: StoreOptions): NatsLeaseStore {
  const { source, namespace, bucket: name, leaseMs = 1000, replicas, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const jetStream = new JetStream(new NatsConnections(source, requestTimeoutMs));
  const bucket = new LeaseBucket(jetStream, { name, leaseMs, ...(replicas !== undefined && { replicas }) });
  return new NatsLeaseStore({ jetStream, bucket, namespace, requestTimeoutMs });
}

export function holder(identity: string, leaseMs = 30_000): LeaseHolder {
  return { election: ELECTION, holder: `${identity}#1`, identity, leaseMs };
}

export function read(store: NatsLeaseStore): Promise<LeaseRecord> {
  return store.read(ELECTION, soon());
}

/** Takes the lease on the strength of what is read now. */
export async function take(store: NatsLeaseStore, who: LeaseHolder, tokenAbove = 0n) {
  const basis = await read(store);
  const result = await store.acquire({ ...who, basis, tokenAbove }, soon());
  if (!result.won) throw new Error(`${who.identity} has not won`);
  return { ...who, ...result };
}

/** For requests that are answered. */
export function soon(): AbortSignal {
  return AbortSignal.timeout(20_000);
}
