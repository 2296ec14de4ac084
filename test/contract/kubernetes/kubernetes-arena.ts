import { KubernetesElector } from 'nestjs-lifecycle/electors/kubernetes';
import type { Elector } from '../../../lib/core/elector.js';
import type { ElectorArena } from '../../../lib/testing/contract/elector-fixture.js';
import { ReadyArena } from '../proxied-arena.js';
import { TIMING } from './timing.js';

/** A lease and a poll. */
const PASS_MS = 1.6 * TIMING.leaseMs;

let opened = 0;

/** A namespace of its own on one API server, with a network of its own for every elector. */
export class KubernetesArena extends ReadyArena<Elector> implements ElectorArena {
  readonly #namespace = `arena-${++opened}`;

  static async open(port: number): Promise<KubernetesArena> {
    const arena = new KubernetesArena({ passMs: PASS_MS, limitMs: 45_000 });
    await arena.prepare(port);
    return arena;
  }

  createElector(): Elector {
    return this.connected((port) => {
      const url = `http://127.0.0.1:${port}`;
      return new KubernetesElector({ namespace: this.#namespace, timing: TIMING, url });
    });
  }
}
