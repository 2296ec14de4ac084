import type { LeaseStore } from '../../../lib/core/lease/lease-store.js';
import { resolveKubernetesOptions } from '../../../lib/electors/kubernetes/kubernetes-elector-options.js';
import { storeOf } from '../../../lib/electors/kubernetes/kubernetes-elector.js';
import type { LeaseStoreArena } from '../../../lib/testing/contract/lease-store-fixture.js';
import type { KubernetesApi } from '../../fixtures/engines/kubernetes-api.js';
import { ProxiedArena } from '../proxied-arena.js';
import { TIMING } from './timing.js';

export const STORE_LEASE_MS = 500;

let opened = 0;

/** A namespace of its own on one API server, with a network of its own for every store. */
export class KubernetesStoreArena extends ProxiedArena<LeaseStore> implements LeaseStoreArena {
  readonly #namespace = `stores-${++opened}`;

  constructor(private readonly api: KubernetesApi) {
    super({ passMs: 2 * STORE_LEASE_MS });
  }

  createStore(): Promise<LeaseStore> {
    return this.openTo(this.api.port, (port) => {
      const url = `http://127.0.0.1:${port}`;
      const options = resolveKubernetesOptions({ namespace: this.#namespace, url, timing: TIMING });
      return storeOf(options, options.lease.timing);
    });
  }

  /** Of this namespace only: others use the server as well. */
  loseData(): void {
    for (const { metadata } of this.api.leases.all) {
      const { name = '', namespace = '' } = metadata;
      if (name.startsWith(`${this.#namespace}.`)) this.api.leases.delete({ name, namespace });
    }
  }
}
