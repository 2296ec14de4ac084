import { EtcdElector, type EtcdElectorOptions } from 'nestjs-lifecycle/electors/etcd';
import type { Elector } from '../../../lib/core/elector.js';
import { realTime } from '../../../lib/testing/contract/arena-time.js';
import type { ElectorArena } from '../../../lib/testing/contract/elector-fixture.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { TIMING } from './timing.js';

/** As many electors as a case makes. */
const REPLICAS = 6;
const PASS_MS = 2 * TIMING.leaseMs;

export type ArenaSettings = Partial<Omit<EtcdElectorOptions, 'namespace' | 'endpoints'>>;

let opened = 0;

/** A namespace of its own on one server, with a network of its own for every elector. */
export class EtcdArena implements ElectorArena {
  readonly #free: TcpProxy[] = [];
  readonly #proxies = new Map<Elector, TcpProxy>();
  readonly #time = realTime({ passMs: PASS_MS });
  readonly #namespace = `arena-${++opened}`;

  private constructor(
    private readonly protocol: 'http' | 'https',
    private readonly settings: ArenaSettings,
  ) {}

  /** @param server its client port, and what it is spoken to by */
  static async open(server: { port: number; url: string }, settings: ArenaSettings = {}): Promise<EtcdArena> {
    const protocol = server.url.startsWith('https') ? 'https' : 'http';
    const arena = new EtcdArena(protocol, { timing: TIMING, ...settings });
    const { port } = server;
    const proxies = Array.from({ length: REPLICAS }, () => TcpProxy.open({ target: { port }, held: 'reset' }));
    arena.#free.push(...(await Promise.all(proxies)));
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
    const endpoints = `${this.protocol}://127.0.0.1:${proxy.port}`;
    const elector = new EtcdElector({ namespace: this.#namespace, endpoints, ...this.settings });
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
    await Promise.all([...this.#free, ...this.#proxies.values()].map((it) => it.close()));
  }
}
