import type { Component, StartContext } from '../../../../lib/core/component.js';
import { Deferred } from '../../../../lib/core/deferred.js';
import type { ManualClock } from '../../../../lib/testing/manual-clock.js';
import type { Random } from '../../../fixtures/random.js';

/** What components share: time, chance, and where they report to. */
export interface World {
  readonly clock: ManualClock;
  readonly random: Random;
  /** False while the model wants everybody to behave. */
  wild: boolean;
  /** Resolves what hangs. */
  readonly released: Deferred<void>;
  onEntered(run: ModelRun): void;
  onToldToEnd(run: ModelRun): void;
}

/** One entered start, as the component lived it. */
export class ModelRun {
  toldAt: number | undefined;
  stops = 0;
  /** Calls of the component that the run still waits for. */
  pendingCalls: number;

  constructor(
    readonly component: ModelComponent,
    readonly context: StartContext,
    isService: boolean,
  ) {
    this.pendingCalls = isService ? 2 : 1;
  }

  get settled(): boolean {
    return this.pendingCalls <= 0;
  }
}

type Start = 'well' | 'throw' | 'reject' | 'reject-later' | 'hang' | 'finish' | 'finish-at-once' | 'fail-later';
type Reaction = 'at-once' | 'late' | 'abort-error' | 'other-error' | 'ignore';

const STARTS: readonly Start[] = [
  ...(['well', 'well', 'well', 'well', 'well'] as const),
  ...(['throw', 'reject', 'reject-later', 'hang', 'finish', 'finish-at-once', 'fail-later'] as const),
];
const REACTIONS: readonly Reaction[] = [
  'at-once',
  'at-once',
  'at-once',
  'late',
  'abort-error',
  'other-error',
  'ignore',
];

/** Does at each start something that chance decides. */
export class ModelComponent implements Component {
  readonly runs: ModelRun[] = [];
  stop?: () => Promise<void>;
  subscriptionReady?: () => Promise<void>;

  constructor(
    readonly name: string,
    private readonly world: World,
    shape: { service: boolean; signalsReady: boolean },
  ) {
    if (shape.service) this.stop = () => this.#stop();
    if (shape.signalsReady) this.subscriptionReady = () => this.#subscriptionReady();
  }

  get unsettled(): ModelRun[] {
    return this.runs.filter((it) => !it.settled);
  }

  start(context: StartContext): Promise<void> {
    const run = new ModelRun(this, context, this.stop !== undefined);
    this.world.onEntered(run);
    this.runs.push(run);
    context.signal.addEventListener('abort', () => {
      run.toldAt = this.world.clock.now();
      this.world.onToldToEnd(run);
    });
    const plan = this.world.wild ? this.world.random.pick(STARTS) : 'well';
    if (plan === 'throw') {
      run.pendingCalls--;
      throw new Error(`${this.name} threw`);
    }
    return this.#act(plan, run).finally(() => run.pendingCalls--);
  }

  async #act(plan: Start, run: ModelRun): Promise<void> {
    const { world, name } = this;
    const { context } = run;
    if (plan === 'reject') throw new Error(`${name} rejected`);
    if (plan === 'hang') return world.released.promise;
    if (plan === 'finish-at-once') return;
    if (plan === 'fail-later') void this.#pause(60).then(() => context.fail(new Error(`${name} broke`)));
    if (plan === 'finish' || plan === 'reject-later') {
      await Promise.race([this.#pause(60), aborted(context.signal)]);
      if (plan === 'reject-later') throw new Error(`${name} rejected later`);
      return;
    }
    if (this.stop !== undefined) return this.#maybeSlowly();
    // Some listen to the term, which ends before their own turn comes.
    const { term } = context;
    await Promise.race([aborted(context.signal), ...(term && world.random.chance(0.3) ? [aborted(term.signal)] : [])]);
    await this.#react(context.signal);
  }

  async #react(signal: AbortSignal): Promise<void> {
    const reaction = this.world.wild ? this.world.random.pick(REACTIONS) : 'at-once';
    if (reaction === 'late') return this.#pause(40);
    if (reaction === 'ignore') return this.world.released.promise;
    if (reaction === 'other-error') throw new Error(`${this.name} could not end`);
    if (reaction === 'abort-error') {
      signal.throwIfAborted();
      throw new DOMException('aborted', 'AbortError');
    }
  }

  async #stop(): Promise<void> {
    const run = this.runs.at(-1)!;
    run.stops++;
    try {
      await this.#react(run.context.signal);
    } finally {
      run.pendingCalls--;
    }
  }

  async #subscriptionReady(): Promise<void> {
    if (!this.world.wild) return;
    if (this.world.random.chance(0.1)) throw new Error(`${this.name} cannot subscribe`);
    if (this.world.random.chance(0.1)) return this.world.released.promise;
    await this.#maybeSlowly();
  }

  #maybeSlowly(): Promise<void> {
    return this.world.wild && this.world.random.chance(0.5) ? this.#pause(60) : Promise.resolve();
  }

  #pause(atMostMs: number): Promise<void> {
    return new Promise((resolve) => void this.world.clock.setTimer(resolve, this.world.random.int(0, atMostMs)));
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
