import { KubernetesElector } from 'nestjs-lifecycle/electors/kubernetes';
import type { Elector } from '../../../lib/core/elector.js';
import { realTime } from '../../../lib/testing/contract/arena-time.js';
import type { ElectorArena } from '../../../lib/testing/contract/elector-fixture.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { TIMING } from './timing.js';

/** As many electors as a case makes. */
const REPLICAS = 6;
/** A lease and a poll. */
const PASS_MS = 1.6 * TIMING.leaseMs;

let opened = 0;

/** A namespace of its own on one API server, with a network of its own for every elector. */
export class KubernetesArena implements ElectorArena {
  readonly #free: TcpProxy[] = [];
  readonly #proxies = new Map<Elector, TcpProxy>();
  readonly #time = realTime({ passMs: PASS_MS, limitMs: 45_000 });
  readonly #namespace = `arena-${++opened}`;

  static async open(port: number): Promise<KubernetesArena> {
    const arena = new KubernetesArena();
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
    const url = `http://127.0.0.1:${proxy.port}`;
    const elector = new KubernetesElector({ namespace: this.#namespace, timing: TIMING, url });
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
