import type { Elector } from '../../lib/core/elector.js';
import type { ElectorArena } from './elector-fixture.js';
import { Stand } from './stand.js';
import { TestCandidate } from './test-candidate.js';

interface StandOptions {
  readonly identity?: string;
  readonly election?: string;
  readonly elector?: Elector;
}

/** The candidates of one test, on an arena of their own. */
export class Stage {
  readonly #stands: Stand[] = [];

  constructor(private readonly arena: ElectorArena) {}

  createElector(): Elector {
    return this.arena.createElector();
  }

  until(condition: () => boolean): Promise<void> {
    return this.arena.until(condition);
  }

  pass(): Promise<void> {
    return this.arena.pass();
  }

  /** Begins a campaign. */
  stand(options: StandOptions = {}): Stand {
    const { identity = `replica-${this.#stands.length}`, election = 'default' } = options;
    const { elector = this.arena.createElector() } = options;
    const stand = new Stand(elector, new TestCandidate(identity), election);
    this.#stands.push(stand);
    return stand;
  }

  /** Begins a campaign and waits until it leads. */
  async leading(options?: StandOptions): Promise<Stand> {
    const stand = this.stand(options);
    await this.arena.until(() => stand.leads);
    return stand;
  }

  leaders(): Stand[] {
    return this.#stands.filter((it) => it.leads);
  }

  async close(): Promise<void> {
    await Promise.all(this.#stands.map((it) => it.end()));
    await this.arena.close();
  }
}
