import { systemClock } from '../../../lib/core/clock.js';
import type { LeaseStore } from '../../../lib/core/lease/lease-store.js';
import { RedisConnections } from '../../../lib/electors/redis/redis-connections.js';
import { RedisLeaseStore } from '../../../lib/electors/redis/redis-lease-store.js';
import type { LeaseStoreArena } from '../../../lib/testing/contract/lease-store-fixture.js';
import type { RedisServer } from '../../fixtures/engines/redis-server.js';
import { ProxiedArena } from '../proxied-arena.js';
import type { ClientKind } from './client-kinds.js';

export const STORE_LEASE_MS = 500;
const REQUEST_TIMEOUT_MS = 1000;

let opened = 0;

/** A namespace of its own on one server, with a network of its own for every store. */
export class RedisStoreArena extends ProxiedArena<LeaseStore> implements LeaseStoreArena {
  readonly #namespace = `stores-${++opened}`;

  constructor(
    private readonly server: RedisServer,
    private readonly kind: ClientKind,
  ) {
    super({ passMs: 2 * STORE_LEASE_MS });
  }

  createStore(): Promise<LeaseStore> {
    return this.openTo(this.server.port, (port) => {
      const offer = this.using(this.kind.offer(port));
      return new RedisLeaseStore({
        connections: new RedisConnections(offer.options, REQUEST_TIMEOUT_MS),
        namespace: this.#namespace,
        keyPrefix: '',
        requestTimeoutMs: REQUEST_TIMEOUT_MS,
        wait: undefined,
        clock: systemClock,
      });
    });
  }

  /** Of this namespace only: others use the server as well. */
  async loseData(): Promise<void> {
    const keys = (await this.server.command('keys', `{${this.#namespace}/*`)) as string[];
    if (keys.length > 0) await this.server.command('del', ...keys);
  }
}
