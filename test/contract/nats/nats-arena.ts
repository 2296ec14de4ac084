import { NatsElector, type NatsElectorOptions } from 'nestjs-lifecycle/electors/nats';
import type { Elector } from '../../../lib/core/elector.js';
import type { ElectorArena } from '../../../lib/testing/contract/elector-fixture.js';
import { ReadyArena } from '../proxied-arena.js';
import type { ClientKind, ClientOffer } from './client-kinds.js';
import { TIMING } from './timing.js';

export type ArenaSettings = Pick<NatsElectorOptions, 'timing' | 'emptyStoreWaitMs' | 'bucket'>;

let opened = 0;

/** A namespace of its own on one server, with a network of its own for every elector. */
export class NatsArena extends ReadyArena<Elector> implements ElectorArena {
  /** By the port that they use. */
  readonly #offers = new Map<number, ClientOffer>();
  readonly #namespace = `arena-${++opened}`;

  private constructor(private readonly settings: ArenaSettings) {
    super({ passMs: 2 * TIMING.leaseMs });
  }

  static async open(serverPort: number, kind: ClientKind, settings: ArenaSettings = {}): Promise<NatsArena> {
    const arena = new NatsArena({ timing: TIMING, ...settings });
    const ports = await arena.prepare(serverPort);
    await Promise.all(ports.map(async (port) => arena.#offers.set(port, arena.using(await kind.offer(port)))));
    return arena;
  }

  createElector(): Elector {
    return this.connected((port) => {
      const options = this.#offers.get(port)?.options;
      return new NatsElector({ namespace: this.#namespace, ...this.settings, ...options });
    });
  }
}
