import { systemClock } from '../../../lib/core/clock.js';
import type { LeaseStore } from '../../../lib/core/lease/lease-store.js';
import { EtcdClient } from '../../../lib/electors/etcd/etcd-client.js';
import { EtcdLeaseStore } from '../../../lib/electors/etcd/etcd-lease-store.js';
import { realTime } from '../../../lib/testing/contract/arena-time.js';
import type { LeaseStoreArena } from '../../../lib/testing/contract/lease-store-fixture.js';
import type { EtcdServer } from '../../fixtures/engines/etcd-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';

export const STORE_LEASE_MS = 500;
const REQUEST_TIMEOUT_MS = 1000;
const KEY_PREFIX = 'stores/';

let opened = 0;

/** A namespace of its own on one server, with a network of its own for every store. */
export class EtcdStoreArena implements LeaseStoreArena {
  readonly #proxies = new Map<LeaseStore, TcpProxy>();
  readonly #time = realTime({ passMs: 2 * STORE_LEASE_MS });
  readonly #namespace = `stores-${++opened}`;

  constructor(private readonly server: EtcdServer) {}

  until(condition: () => boolean | Promise<boolean>): Promise<void> {
    return this.#time.until(condition);
  }

  pass(): Promise<void> {
    return this.#time.pass();
  }

  async createStore(): Promise<LeaseStore> {
    const proxy = await TcpProxy.open({ target: { port: this.server.port }, held: 'reset' });
    const endpoints = [`http://127.0.0.1:${proxy.port}`];
    const store = new EtcdLeaseStore({
      client: new EtcdClient({ endpoints, tls: undefined, credentials: undefined }),
      namespace: this.#namespace,
      keyPrefix: KEY_PREFIX,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      clock: systemClock,
    });
    this.#proxies.set(store, proxy);
    return store;
  }

  async disconnect(store: LeaseStore): Promise<void> {
    await this.#proxies.get(store)?.set('blackhole');
  }

  async reconnect(store: LeaseStore): Promise<void> {
    await this.#proxies.get(store)?.set('pass', 'reset');
  }

  /** Of this namespace only: others use the server as well. */
  async loseData(): Promise<void> {
    await this.server.deleteAll(`${KEY_PREFIX}${this.#namespace}/`);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#proxies.values()].map((it) => it.close()));
  }
}
