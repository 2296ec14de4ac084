import type { LeaseStore } from '../../../lib/core/lease/lease-store.js';
import { realTime } from '../../../lib/testing/contract/arena-time.js';
import type { LeaseStoreArena } from '../../../lib/testing/contract/lease-store-fixture.js';
import type { NatsServer } from '../../fixtures/engines/nats-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import type { ClientKind, ClientOffer } from './client-kinds.js';
import { openStore } from './store-rig.js';

export const STORE_LEASE_MS = 500;
const REQUEST_TIMEOUT_MS = 1000;

let opened = 0;

/** A bucket of its own on one server, with a network of its own for every store. */
export class NatsStoreArena implements LeaseStoreArena {
  readonly #proxies = new Map<LeaseStore, TcpProxy>();
  readonly #offers: ClientOffer[] = [];
  readonly #time = realTime({ passMs: 2 * STORE_LEASE_MS });
  readonly #bucket = `stores-${++opened}`;

  constructor(
    private readonly server: NatsServer,
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
    const offer = await this.kind.offer(proxy.port);
    this.#offers.push(offer);
    const { servers, client } = offer.options;
    const source = { ...(servers !== undefined && { options: { servers } }), ...(client !== undefined && { client }) };
    const store = openStore({
      source,
      namespace: 'stores',
      bucket: this.#bucket,
      leaseMs: STORE_LEASE_MS,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
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

  async loseData(): Promise<void> {
    await this.server.ask(`STREAM.DELETE.KV_${this.#bucket}`);
  }

  async close(): Promise<void> {
    await Promise.all(this.#offers.map((it) => it.close()));
    await Promise.all([...this.#proxies.values()].map((it) => it.close()));
  }
}
