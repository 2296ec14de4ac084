import { systemClock } from '../../core/clock.js';
import { LeaseElector } from '../../core/lease/lease-elector.js';
import type { LeaseStore } from '../../core/lease/lease-store.js';
import type { LeaseTiming } from '../../core/lease/lease-timing.js';
import { ApiClient } from './api-client.js';
import { ApiTransport } from './api-transport.js';
import { ClusterAccessCache } from './cluster-access.js';
import {
  resolveKubernetesOptions,
  type KubernetesElectorOptions,
  type ResolvedOptions,
} from './kubernetes-elector-options.js';
import { KubernetesLeaseStore } from './kubernetes-lease-store.js';

/**
 * Elects over a Lease of Kubernetes, as the components of Kubernetes itself do, and in one election with them if need be:
 * what `client-go` writes to a Lease is understood, and the other way round. Needs no client: the few calls are made with
 * `node:https`. Connects at the first campaign.
 *
 * Fencing tokens are the `resourceVersion` of the write that took the Lease: the revision of the cluster's etcd, which
 * rises with every write there is. They rise over deletions of the Lease, and not over a restore of etcd from a backup.
 *
 * What it guarantees, and the Role that it needs, is in docs/kubernetes.md.
 *
 * @publicApi
 */
export class KubernetesElector extends LeaseElector {
  /** @throws InvalidOptionError */
  constructor(options: KubernetesElectorOptions) {
    const resolved = resolveKubernetesOptions(options);
    const { namespace: _namespace, ...settings } = resolved.lease;
    super({ ...settings, store: storeOf(resolved, settings.timing) });
  }
}

/** The store of an elector with these options, for tests of the store itself. */
export function storeOf({ lease, load, leaseNamespace, nameOf }: ResolvedOptions, timing: LeaseTiming): LeaseStore {
  const { clock = systemClock } = lease;
  const { renewMs, requestTimeoutMs } = timing;
  const client = new ApiClient({
    access: new ClusterAccessCache(load, clock),
    transport: new ApiTransport(),
    clock,
    longestPauseMs: requestTimeoutMs,
    ...(leaseNamespace !== undefined && { leaseNamespace }),
  });
  return new KubernetesLeaseStore({ client, nameOf, renewMs, requestTimeoutMs, clock });
}
