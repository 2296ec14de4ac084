import { RedisElector, type RedisElectorOptions } from 'nestjs-lifecycle/electors/redis';
import type { Elector } from '../../../lib/core/elector.js';
import type { ElectorArena } from '../../../lib/testing/contract/elector-fixture.js';
import { ReadyArena } from '../proxied-arena.js';
import type { ClientKind } from './client-kinds.js';
import { TIMING } from './timing.js';

export type ArenaSettings = Pick<RedisElectorOptions, 'timing' | 'emptyStoreWaitMs'>;

let opened = 0;

/** A namespace of its own on one server, with a network of its own for every elector. */
export class RedisArena extends ReadyArena<Elector> implements ElectorArena {
  readonly #namespace = `arena-${++opened}`;

  private constructor(
    private readonly kind: ClientKind,
    private readonly settings: ArenaSettings,
  ) {
    super({ passMs: 2 * TIMING.leaseMs });
  }

  static async open(port: number, kind: ClientKind, settings: ArenaSettings = {}): Promise<RedisArena> {
    const arena = new RedisArena(kind, { timing: TIMING, ...settings });
    await arena.prepare(port);
    return arena;
  }

  createElector(): Elector {
    return this.connected((port) => {
      const { options } = this.using(this.kind.offer(port));
      return new RedisElector({ namespace: this.#namespace, ...this.settings, ...options });
    });
  }
}
