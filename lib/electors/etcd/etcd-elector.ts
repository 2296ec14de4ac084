import { systemClock } from '../../core/clock.js';
import { resolveLeaseElectorSettings } from '../../core/lease/lease-elector-settings.js';
import { LeaseElector } from '../../core/lease/lease-elector.js';
import { EtcdClient } from './etcd-client.js';
import { assertEtcdOptions, DEFAULT_KEY_PREFIX, endpointsOf, type EtcdElectorOptions } from './etcd-elector-options.js';
import { EtcdLeaseStore } from './etcd-lease-store.js';

/**
 * Elects over one key of an etcd cluster, by compare and swap through its JSON gateway, with no client package: one replica
 * leads, and the next one follows within milliseconds of a release, or within about a lease of a crash. Connects at the
 * first campaign; `close()` ends the connections.
 *
 * No lease of etcd's own is used: etcd has revoked leases that were kept alive. The reasons, and what is guaranteed, are in
 * docs/etcd.md.
 *
 * @publicApi
 */
export class EtcdElector extends LeaseElector {
  /** @throws InvalidOptionError */
  constructor(options: EtcdElectorOptions) {
    const { namespace, ...settings } = resolveLeaseElectorSettings(options, 'EtcdElector');
    assertEtcdOptions(options);
    const { tls, username, password, keyPrefix = DEFAULT_KEY_PREFIX } = options;
    const credentials = username === undefined ? undefined : { username, password: password ?? '' };
    const client = new EtcdClient({ endpoints: endpointsOf(options), tls, credentials });
    const { requestTimeoutMs } = settings.timing;
    const clock = settings.clock ?? systemClock;
    super({ ...settings, store: new EtcdLeaseStore({ client, namespace, keyPrefix, requestTimeoutMs, clock }) });
  }
}
