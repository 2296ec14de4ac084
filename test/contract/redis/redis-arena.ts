import { RedisElector, type RedisElectorOptions } from 'nestjs-lifecycle/electors/redis';
import type { Elector } from '../../../lib/core/elector.js';
import { realTime } from '../../../lib/testing/contract/arena-time.js';
import type { ElectorArena } from '../../../lib/testing/contract/elector-fixture.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import type { ClientKind, ClientOffer } from './client-kinds.js';
import { TIMING } from './timing.js';

/** As many electors as a case makes. */
const REPLICAS = 6;
const PASS_MS = 2 * TIMING.leaseMs;

export type ArenaSettings = Pick<RedisElectorOptions, 'timing' | 'emptyStoreWaitMs'>;

let opened = 0;

/** A namespace of its own on one server, with a network of its own for every elector. */
export class RedisArena implements ElectorArena {
  readonly #free: TcpProxy[] = [];
  readonly #proxies = new Map<Elector, TcpProxy>();
  readonly #offers: ClientOffer[] = [];
  readonly #time = realTime({ passMs: PASS_MS });
  readonly #namespace = `arena-${++opened}`;

  private constructor(
    private readonly kind: ClientKind,
    private readonly settings: ArenaSettings,
  ) {}

  static async open(port: number, kind: ClientKind, settings: ArenaSettings = {}): Promise<RedisArena> {
    const arena = new RedisArena(kind, { timing: TIMING, ...settings });
    const targets = Array.from({ length: REPLICAS }, () => TcpProxy.open({ target: { port }, held: 'reset' }));
    arena.#free.push(...(await Promise.all(targets)));
    return arena;
  }

  until(condition: () => boolean | Promise<boolean>): Promise<void> {
    return this.#time.until(condition);
  }

  pass(): Promise<void> {
    return this.#time.pass();
  }

  createElector(): Elector {
    const proxy = this.#free.pop();
    if (proxy === undefined) throw new Error('No network is left for one more elector');
    const offer = this.kind.offer(proxy.port);
    this.#offers.push(offer);
    const elector = new RedisElector({ namespace: this.#namespace, ...this.settings, ...offer.options });
    this.#proxies.set(elector, proxy);
    return elector;
  }

  async crash(elector: Elector): Promise<void> {
    await this.#proxies.get(elector)?.set('blackhole');
  }

  async disconnect(elector: Elector): Promise<void> {
    await this.#proxies.get(elector)?.set('blackhole');
  }

  async reconnect(elector: Elector): Promise<void> {
    await this.#proxies.get(elector)?.set('pass', 'reset');
  }

  async close(): Promise<void> {
    // Electors that have crashed still have their connections.
    await Promise.all([...this.#proxies.keys()].map(async (it) => it.close?.()));
    this.#offers.forEach((it) => it.close());
    await Promise.all([...this.#free, ...this.#proxies.values()].map((it) => it.close()));
  }
}
