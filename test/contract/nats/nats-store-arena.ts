import type { LeaseStore } from '../../../lib/core/lease/lease-store.js';
import type { LeaseStoreArena } from '../../../lib/testing/contract/lease-store-fixture.js';
import type { NatsServer } from '../../fixtures/engines/nats-server.js';
import { ProxiedArena } from '../proxied-arena.js';
import type { ClientKind } from './client-kinds.js';
import { openStore } from './store-rig.js';

export const STORE_LEASE_MS = 500;
const REQUEST_TIMEOUT_MS = 1000;

let opened = 0;

/** A bucket of its own on one server, with a network of its own for every store. */
export class NatsStoreArena extends ProxiedArena<LeaseStore> implements LeaseStoreArena {
  readonly #bucket = `stores-${++opened}`;

  constructor(
    private readonly server: NatsServer,
    private readonly kind: ClientKind,
  ) {
    super({ passMs: 2 * STORE_LEASE_MS });
  }

  createStore(): Promise<LeaseStore> {
    return this.openTo(this.server.port, async (port) => {
      const offer = this.using(await this.kind.offer(port));
      const { servers, client } = offer.options;
      const source = {
        ...(servers !== undefined && { options: { servers } }),
        ...(client !== undefined && { client }),
      };
      return openStore({
        source,
        namespace: 'stores',
        bucket: this.#bucket,
        leaseMs: STORE_LEASE_MS,
        requestTimeoutMs: REQUEST_TIMEOUT_MS,
      });
    });
  }

  async loseData(): Promise<void> {
    await this.server.ask(`STREAM.DELETE.KV_${this.#bucket}`);
  }
}
