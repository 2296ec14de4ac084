import type { LeaseStore } from '../../../lib/core/lease/lease-store.js';
import { resolveKubernetesOptions } from '../../../lib/electors/kubernetes/kubernetes-elector-options.js';
import { storeOf } from '../../../lib/electors/kubernetes/kubernetes-elector.js';
import type { LeaseStoreArena } from '../../../lib/testing/contract/lease-store-fixture.js';
import { LeaseClerk } from '../../fixtures/engines/kubernetes-requests.js';
import { ProxiedArena } from '../proxied-arena.js';
import type { ApiServer } from './shared-api.js';
import { TIMING } from './timing.js';

export const STORE_LEASE_MS = 500;

let opened = 0;

/** A namespace of its own on one API server, with a network of its own for every store. */
export class KubernetesStoreArena extends ProxiedArena<LeaseStore> implements LeaseStoreArena {
  readonly #namespace = `stores-${++opened}`;

  constructor(private readonly api: ApiServer) {
    super({ passMs: 2 * STORE_LEASE_MS });
  }

  createStore(): Promise<LeaseStore> {
    return this.openTo(this.api.port, (port) => {
      const namespace = this.#namespace;
      const options = resolveKubernetesOptions({ namespace, timing: TIMING, ...this.api.accessBy(port) });
      return storeOf(options, options.lease.timing);
    });
  }

  /** Of this namespace only: others use the server as well. */
  async loseData(): Promise<void> {
    const clerk = new LeaseClerk(this.api.accessBy());
    for (const { metadata } of await clerk.all('default')) {
      const { name = '', namespace = '' } = metadata;
      if (name.startsWith(`${this.#namespace}.`)) await clerk.delete({ name, namespace });
    }
  }
}
