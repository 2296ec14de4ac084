import { NatsElector, type NatsElectorOptions } from 'nestjs-lifecycle/electors/nats';
import type { Elector } from '../../../lib/core/elector.js';
import { realTime } from '../../../lib/testing/contract/arena-time.js';
import type { ElectorArena } from '../../../lib/testing/contract/elector-fixture.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import type { ClientKind, ClientOffer } from './client-kinds.js';
import { TIMING } from './timing.js';

/** As many electors as a case makes. */
const REPLICAS = 6;
const PASS_MS = 2 * TIMING.leaseMs;

export type ArenaSettings = Pick<NatsElectorOptions, 'timing' | 'emptyStoreWaitMs' | 'bucket'>;

interface Way {
  readonly proxy: TcpProxy;
  readonly offer: ClientOffer;
}

let opened = 0;

/** A namespace of its own on one server, with a network of its own for every elector. */
export class NatsArena implements ElectorArena {
  readonly #free: Way[] = [];
  readonly #ways = new Map<Elector, Way>();
  readonly #time = realTime({ passMs: PASS_MS });
  readonly #namespace = `arena-${++opened}`;

  private constructor(private readonly settings: ArenaSettings) {}

  static async open(port: number, kind: ClientKind, settings: ArenaSettings = {}): Promise<NatsArena> {
    const arena = new NatsArena({ timing: TIMING, ...settings });
    const ways = Array.from({ length: REPLICAS }, async () => {
      const proxy = await TcpProxy.open({ target: { port }, held: 'reset' });
      return { proxy, offer: await kind.offer(proxy.port) };
    });
    arena.#free.push(...(await Promise.all(ways)));
    return arena;
  }

  until(condition: () => boolean | Promise<boolean>): Promise<void> {
    return this.#time.until(condition);
  }

  pass(): Promise<void> {
    return this.#time.pass();
  }

  createElector(): Elector {
    const way = this.#free.pop();
    if (way === undefined) throw new Error('No network is left for one more elector');
    const elector = new NatsElector({ namespace: this.#namespace, ...this.settings, ...way.offer.options });
    this.#ways.set(elector, way);
    return elector;
  }

  async crash(elector: Elector): Promise<void> {
    await this.disconnect(elector);
  }

  async disconnect(elector: Elector): Promise<void> {
    await this.#ways.get(elector)?.proxy.set('blackhole');
  }

  async reconnect(elector: Elector): Promise<void> {
    await this.#ways.get(elector)?.proxy.set('pass', 'reset');
  }

  async close(): Promise<void> {
    const ways = [...this.#free, ...this.#ways.values()];
    // Electors that have crashed still have their connections.
    await Promise.all([...this.#ways.keys()].map(async (it) => it.close?.()));
    await Promise.all(ways.map(({ offer }) => offer.close()));
    await Promise.all(ways.map(({ proxy }) => proxy.close()));
  }
}
