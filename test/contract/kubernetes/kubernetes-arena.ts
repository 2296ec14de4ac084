import { KubernetesElector } from 'nestjs-lifecycle/electors/kubernetes';
import type { Elector } from '../../../lib/core/elector.js';
import type { ElectorArena } from '../../../lib/testing/contract/elector-fixture.js';
import { ReadyArena } from '../proxied-arena.js';
import type { ApiServer } from './shared-api.js';
import { TIMING } from './timing.js';

/** A lease and a poll. */
const PASS_MS = 1.6 * TIMING.leaseMs;

let opened = 0;

/** A namespace of its own on one API server, with a network of its own for every elector. */
export class KubernetesArena extends ReadyArena<Elector> implements ElectorArena {
  readonly #namespace = `arena-${++opened}`;

  private constructor(private readonly api: ApiServer) {
    super({ passMs: PASS_MS, limitMs: 45_000 });
  }

  static async open(api: ApiServer): Promise<KubernetesArena> {
    const arena = new KubernetesArena(api);
    await arena.prepare(api.port);
    return arena;
  }

  createElector(): Elector {
    return this.connected((port) => {
      const namespace = this.#namespace;
      return new KubernetesElector({ namespace, timing: TIMING, ...this.api.accessBy(port) });
    });
  }
}
