import { systemClock } from '../../../lib/core/clock.js';
import type { LeaseStore } from '../../../lib/core/lease/lease-store.js';
import { EtcdClient } from '../../../lib/electors/etcd/etcd-client.js';
import { EtcdLeaseStore } from '../../../lib/electors/etcd/etcd-lease-store.js';
import type { LeaseStoreArena } from '../../../lib/testing/contract/lease-store-fixture.js';
import type { EtcdServer } from '../../fixtures/engines/etcd-server.js';
import { ProxiedArena } from '../proxied-arena.js';

export const STORE_LEASE_MS = 500;
const REQUEST_TIMEOUT_MS = 1000;
const KEY_PREFIX = 'stores/';

let opened = 0;

/** A namespace of its own on one server, with a network of its own for every store. */
export class EtcdStoreArena extends ProxiedArena<LeaseStore> implements LeaseStoreArena {
  readonly #namespace = `stores-${++opened}`;

  constructor(private readonly server: EtcdServer) {
    super({ passMs: 2 * STORE_LEASE_MS });
  }

  createStore(): Promise<LeaseStore> {
    return this.openTo(this.server.port, (port) => {
      const endpoints = [`http://127.0.0.1:${port}`];
      return new EtcdLeaseStore({
        client: new EtcdClient({ endpoints, tls: undefined, credentials: undefined }),
        namespace: this.#namespace,
        keyPrefix: KEY_PREFIX,
        requestTimeoutMs: REQUEST_TIMEOUT_MS,
        clock: systemClock,
      });
    });
  }

  /** Of this namespace only: others use the server as well. */
  async loseData(): Promise<void> {
    await this.server.deleteAll(`${KEY_PREFIX}${this.#namespace}/`);
  }
}
