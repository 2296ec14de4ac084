import { systemClock } from '../../../lib/core/clock.js';
import type { LeaseStore } from '../../../lib/core/lease/lease-store.js';
import { RedisConnections } from '../../../lib/electors/redis/redis-connections.js';
import { RedisLeaseStore } from '../../../lib/electors/redis/redis-lease-store.js';
import { realTime } from '../../../lib/testing/contract/arena-time.js';
import type { LeaseStoreArena } from '../../../lib/testing/contract/lease-store-fixture.js';
import type { RedisServer } from '../../fixtures/engines/redis-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import type { ClientKind, ClientOffer } from './client-kinds.js';

export const STORE_LEASE_MS = 500;
const REQUEST_TIMEOUT_MS = 1000;

let opened = 0;

/** A namespace of its own on one server, with a network of its own for every store. */
export class RedisStoreArena implements LeaseStoreArena {
  readonly #proxies = new Map<LeaseStore, TcpProxy>();
  readonly #offers: ClientOffer[] = [];
  readonly #time = realTime({ passMs: 2 * STORE_LEASE_MS });
  readonly #namespace = `stores-${++opened}`;

  constructor(
    private readonly server: RedisServer,
    private readonly kind: ClientKind,
  ) {}

  until(condition: () => boolean | Promise<boolean>): Promise<void> {
    return this.#time.until(condition);
  }

  pass(): Promise<void> {
    return this.#time.pass();
  }

  async createStore(): Promise<LeaseStore> {
    const proxy = await TcpProxy.open({ target: { port: this.server.port }, held: 'reset' });
    const offer = this.kind.offer(proxy.port);
    this.#offers.push(offer);
    const store = new RedisLeaseStore({
      connections: new RedisConnections(offer.options, REQUEST_TIMEOUT_MS),
      namespace: this.#namespace,
      keyPrefix: '',
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      wait: undefined,
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
    const keys = (await this.server.command('keys', `{${this.#namespace}/*`)) as string[];
    if (keys.length > 0) await this.server.command('del', ...keys);
  }

  async close(): Promise<void> {
    this.#offers.forEach((it) => it.close());
    await Promise.all([...this.#proxies.values()].map((it) => it.close()));
  }
}
