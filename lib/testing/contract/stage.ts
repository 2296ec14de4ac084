import type { Elector } from '../../core/elector.js';
import type { ElectorArena, ElectorFault, ElectorFixture } from './elector-fixture.js';
import { Referee } from './referee.js';
import { Stand } from './stand.js';

interface StandOptions {
  readonly identity?: string;
  readonly election?: string;
  readonly elector?: Elector;
}

/** The candidates of one case, on an arena of their own. */
export class Stage {
  readonly #stands: Stand[] = [];
  readonly #referee = new Referee(this.#stands);
  readonly #electors = new Set<Elector>();
  readonly #crashed = new Set<Elector>();
  readonly #disconnected = new Set<Elector>();

  private constructor(private readonly arena: ElectorArena) {}

  /** Opens a stage, plays one case on it, and clears up. @throws Error, and what the case or the arena throws */
  static async play(fixture: ElectorFixture, act: (stage: Stage) => Promise<void>): Promise<void> {
    const stage = new Stage(await fixture.open());
    let failure: { readonly error: unknown } | undefined;
    for (const step of [() => act(stage), () => stage.#clearUp(), async () => stage.arena.close()]) {
      try {
        await step();
      } catch (error) {
        // The first one is why; what fails after it mostly follows from it.
        failure ??= { error };
      }
    }
    stage.#judge(failure);
    if (failure !== undefined) throw failure.error;
  }

  createElector(): Elector {
    const elector = this.arena.createElector();
    this.#electors.add(elector);
    return elector;
  }

  /** Begins a campaign. */
  stand(options: StandOptions = {}): Stand {
    const { identity = `replica-${this.#stands.length}`, election = 'default' } = options;
    const { elector = this.createElector() } = options;
    const stand = new Stand(elector, election, identity, this.#referee);
    this.#stands.push(stand);
    return stand;
  }

  /** Begins a campaign and waits until it leads. */
  async leading(options?: StandOptions): Promise<Stand> {
    const stand = this.stand(options);
    await this.until(() => stand.leads);
    return stand;
  }

  /** Tells a campaign to end, and waits until it has. */
  async end(stand: Stand): Promise<void> {
    stand.tellToEnd();
    await this.until(() => stand.isOver);
  }

  leaders(): Stand[] {
    return this.#stands.filter((it) => it.leads);
  }

  until(condition: () => boolean): Promise<void> {
    return this.arena.until(() => {
      this.#referee.look();
      return condition();
    });
  }

  async pass(): Promise<void> {
    this.#referee.look();
    await this.arena.pass();
    this.#referee.look();
  }

  /** Closes an elector whose campaigns have ended. */
  async close(elector: Elector): Promise<void> {
    this.#electors.delete(elector);
    await elector.close?.();
  }

  async crash(stand: Stand): Promise<void> {
    this.#crashed.add(stand.elector);
    for (const it of this.#stands) if (it.elector === stand.elector) it.hasCrashed = true;
    await this.#hook('crash').call(this.arena, stand.elector);
  }

  async disconnect(elector: Elector): Promise<void> {
    this.#disconnected.add(elector);
    await this.#hook('disconnect').call(this.arena, elector);
  }

  async reconnect(elector: Elector): Promise<void> {
    this.#disconnected.delete(elector);
    await this.#hook('reconnect').call(this.arena, elector);
  }

  #hook(name: ElectorFault | 'reconnect'): (elector: Elector) => Promise<void> | void {
    const hook = this.arena[name];
    if (hook === undefined) throw new Error(`The fixture lists a fault, but its arena has no ${name}()`);
    return hook;
  }

  async #clearUp(): Promise<void> {
    for (const elector of [...this.#disconnected]) await this.reconnect(elector);
    this.#stands.forEach((it) => it.tellToEnd());
    await this.until(() => this.#stands.every((it) => it.isOver || it.hasCrashed));
    for (const elector of [...this.#electors]) if (!this.#crashed.has(elector)) await this.close(elector);
  }

  #judge(failure: { readonly error: unknown } | undefined): void {
    const { violations } = this.#referee;
    if (violations.length === 0) return;
    const message = ['The contract is broken:', ...violations].join('\n- ');
    throw new Error(message, { cause: failure?.error });
  }
}
