import type { LeaseStore } from '../../../lib/core/lease/lease-store.js';
import { resolveKubernetesOptions } from '../../../lib/electors/kubernetes/kubernetes-elector-options.js';
import { storeOf } from '../../../lib/electors/kubernetes/kubernetes-elector.js';
import { realTime } from '../../../lib/testing/contract/arena-time.js';
import type { LeaseStoreArena } from '../../../lib/testing/contract/lease-store-fixture.js';
import type { KubernetesApi } from '../../fixtures/engines/kubernetes-api.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { TIMING } from './timing.js';

export const STORE_LEASE_MS = 500;

let opened = 0;

/** A namespace of its own on one API server, with a network of its own for every store. */
export class KubernetesStoreArena implements LeaseStoreArena {
  readonly #proxies = new Map<LeaseStore, TcpProxy>();
  readonly #time = realTime({ passMs: 2 * STORE_LEASE_MS });
  readonly #namespace = `stores-${++opened}`;

  constructor(private readonly api: KubernetesApi) {}

  until(condition: () => boolean | Promise<boolean>): Promise<void> {
    return this.#time.until(condition);
  }

  pass(): Promise<void> {
    return this.#time.pass();
  }

  async createStore(): Promise<LeaseStore> {
    const proxy = await TcpProxy.open({ target: { port: this.api.port }, held: 'reset' });
    const url = `http://127.0.0.1:${proxy.port}`;
    const options = resolveKubernetesOptions({ namespace: this.#namespace, url, timing: TIMING });
    const store = storeOf(options, options.lease.timing);
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
  loseData(): void {
    for (const { metadata } of this.api.leases.all) {
      const { name = '', namespace = '' } = metadata;
      if (name.startsWith(`${this.#namespace}.`)) this.api.leases.delete({ name, namespace });
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#proxies.values()].map((it) => it.close()));
  }
}
