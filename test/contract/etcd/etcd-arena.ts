import { EtcdElector, type EtcdElectorOptions } from 'nestjs-lifecycle/electors/etcd';
import type { Elector } from '../../../lib/core/elector.js';
import type { ElectorArena } from '../../../lib/testing/contract/elector-fixture.js';
import { ReadyArena } from '../proxied-arena.js';
import { TIMING } from './timing.js';

export type ArenaSettings = Partial<Omit<EtcdElectorOptions, 'namespace' | 'endpoints'>>;

let opened = 0;

/** A namespace of its own on one server, with a network of its own for every elector. */
export class EtcdArena extends ReadyArena<Elector> implements ElectorArena {
  readonly #namespace = `arena-${++opened}`;

  private constructor(
    private readonly protocol: 'http' | 'https',
    private readonly settings: ArenaSettings,
  ) {
    super({ passMs: 2 * TIMING.leaseMs });
  }

  /** @param server its client port, and what it is spoken to by */
  static async open(server: { port: number; url: string }, settings: ArenaSettings = {}): Promise<EtcdArena> {
    const protocol = server.url.startsWith('https') ? 'https' : 'http';
    const arena = new EtcdArena(protocol, { timing: TIMING, ...settings });
    await arena.prepare(server.port);
    return arena;
  }

  createElector(): Elector {
    return this.connected((port) => {
      const endpoints = `${this.protocol}://127.0.0.1:${port}`;
      return new EtcdElector({ namespace: this.#namespace, endpoints, ...this.settings });
    });
  }
}
