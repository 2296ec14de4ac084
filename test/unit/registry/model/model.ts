import { setMaxListeners } from 'node:events';
import { Deferred } from '../../../../lib/core/deferred.js';
import { ElectionTerm } from '../../../../lib/core/election-term.js';
import { StopFailedError } from '../../../../lib/core/errors.js';
import type { ComponentStatusEvent } from '../../../../lib/core/lifecycle-events.js';
import { Registry } from '../../../../lib/registry/registry.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';
import { ModelComponent, type World } from './model-component.js';
import { Random } from '../../../fixtures/random.js';
import { Referee, type Member } from './referee.js';

const START_TIMEOUT_MS = 100;
const STOP_TIMEOUT_MS = 50;
const SHUTDOWN_TIMEOUT_MS = 150;
/** Longer than any restart, start and stop that is under way can take. */
const LONG_MS = 20_000;

/**
 * A registry, a small random graph of components that misbehave at random, and a random sequence of what can be asked of
 * it, on virtual time. Throws as soon as a promise of the registry does not hold.
 */
export class Model {
  readonly #random: Random;
  readonly #clock = new ManualClock();
  readonly #world: World;
  readonly #referee = new Referee(this.#clock, STOP_TIMEOUT_MS);
  readonly #registry: Registry;
  readonly #all: Member[] = [];
  readonly #starters = new Set<string>();
  #lifetime = new AbortController();
  #tokens = 0n;
  #starts = 0;
  #interfering = false;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#world = {
      clock: this.#clock,
      random: this.#random,
      wild: true,
      released: new Deferred(),
      onEntered: (run) => this.#referee.onEntered(run),
      onToldToEnd: (run) => this.#referee.onToldToEnd(run),
    };
    this.#registry = new Registry({
      clock: this.#clock,
      random: () => this.#random.next(),
      startTimeoutMs: START_TIMEOUT_MS,
      stopTimeoutMs: STOP_TIMEOUT_MS,
      shutdownTimeoutMs: SHUTDOWN_TIMEOUT_MS,
      unhealthyThreshold: 2,
      restart: { initialDelayMs: 10, maxDelayMs: 200, maxRestarts: 4, windowMs: 2000, stableAfterMs: 500 },
      events: {
        publish: (name, event) => {
          if (name === 'lifecycle.component.status') this.#onStatus(event as ComponentStatusEvent);
        },
      },
    });
    const size = this.#random.int(1, 6);
    for (let index = 0; index < size; index++) this.#addMember();
  }

  /** What happened, for the failing seed. */
  get trace(): string {
    return this.#referee.trace;
  }

  async run(): Promise<void> {
    const steps = this.#random.int(5, 40);
    for (let step = 0; step < steps; step++) {
      this.#operate();
      await this.#pass();
      this.#referee.check();
    }
    await this.#everyStarterResolves();
    await this.#stopsAll();
    await this.#comesUpWhenAllBehave();
    await this.#stopsAll();
  }

  #addMember(): void {
    const index = this.#all.length;
    const random = this.#random;
    const leaderOnly = random.chance(0.4);
    const candidates = this.#all.filter((it) => leaderOnly || it.options.leaderOnly !== true);
    const chosen = candidates.filter(() => random.chance(0.4));
    const component = new ModelComponent(`c${index}`, this.#world, {
      service: random.chance(0.5),
      signalsReady: random.chance(0.3),
    });
    const options = {
      leaderOnly,
      enabled: random.chance(0.9),
      dependsOn: chosen.map((it) => it.component.name),
      restart: random.pick(['never', 'on-failure', 'always'] as const),
      completes: random.chance(0.5),
      criticality: random.pick(['critical', 'optional'] as const),
      onUnhealthy: random.pick(['report', 'restart', ...(leaderOnly ? (['step-down'] as const) : [])] as const),
    };
    const dependencies = [...new Set(chosen.flatMap((it) => (it.options.enabled ? [it] : it.dependencies)))];
    const member: Member = { component, options, dependencies, status: 'pending', finished: false };
    this.#all.push(member);
    if (options.enabled) this.#referee.members.set(component.name, member);
    const kind = component.stop === undefined ? 'run' : 'service';
    this.#referee.say(`register c${index} (${kind}) ${JSON.stringify(options)}`);
    this.#registry.register(component, options);
  }

  #operate(): void {
    const operation = this.#random.pick([
      ...(['startAll', 'startAll', 'elect', 'elect', 'depose', 'health', 'health', 'health'] as const),
      ...(['stopAll', 'abort', 'stopLeaderOnly', 'bounce', 'late', 'nothing', 'nothing', 'nothing'] as const),
    ]);
    if (operation !== 'nothing') this.#referee.say(operation);
    switch (operation) {
      case 'startAll':
        return this.#startAll();
      case 'elect':
        return this.#elect();
      case 'depose':
        return this.#depose();
      case 'stopAll':
        return this.#stopAll(this.#random.pick([10, 40, SHUTDOWN_TIMEOUT_MS]));
      case 'abort':
        this.#referee.deadlines.push(this.#clock.now() + SHUTDOWN_TIMEOUT_MS);
        return this.#lifetime.abort();
      case 'stopLeaderOnly':
        this.#referee.deadlines.push(this.#clock.now() + SHUTDOWN_TIMEOUT_MS);
        return void this.#registry.stopLeaderOnlyComponents().catch((error: unknown) => this.#expectStopError(error));
      case 'bounce':
        for (let times = this.#random.int(1, 3); times > 0; times--) {
          this.#elect();
          this.#depose();
        }
        return this.#elect();
      case 'late':
        if (this.#all.length < 10) this.#addMember();
        return;
      case 'health':
        return this.#recordHealth();
      case 'nothing':
    }
  }

  async #pass(): Promise<void> {
    const pause = this.#random.int(0, 3);
    if (pause === 0) return;
    if (pause === 1) await Promise.resolve();
    if (pause === 2) await this.#clock.settle();
    if (pause === 3) await this.#clock.advance(this.#random.pick([1, 10, 30, 60, 120, 700]));
  }

  #startAll(): void {
    if (this.#lifetime.signal.aborted) this.#lifetime = new AbortController();
    this.#watchStarter('startAll', this.#registry.startAll(this.#lifetime.signal, false));
  }

  #elect(): void {
    // Sometimes a new term without the end of the old one.
    const { signal } = (this.#referee.term = new ElectionTerm({
      election: 'default',
      identity: 'me',
      fencingToken: ++this.#tokens,
    }));
    // Each run of a component that listens to its term is one more.
    setMaxListeners(0, signal);
    this.#referee.deadlines.push(this.#clock.now() + SHUTDOWN_TIMEOUT_MS);
    signal.addEventListener('abort', () => this.#referee.deadlines.push(this.#clock.now() + SHUTDOWN_TIMEOUT_MS));
    this.#watchStarter(`elect ${this.#tokens}`, this.#registry.startLeaderOnlyComponentsAsync(this.#referee.term));
  }

  #depose(): void {
    this.#referee.term?.end('deposed');
  }

  #stopAll(timeoutMs: number): void {
    const deadline = this.#clock.now() + timeoutMs;
    this.#referee.deadlines.push(deadline);
    const over = () => {
      if (this.#clock.now() > deadline + this.#all.length + 1)
        this.#referee.violate('stopAll took longer than its budget');
    };
    this.#registry.stopAll({ timeoutMs }).then(over, (error: unknown) => {
      this.#expectStopError(error);
      over();
    });
  }

  #recordHealth(): void {
    const snapshot = this.#registry.snapshot();
    if (snapshot.length === 0) return;
    const { info, run } = this.#random.pick(snapshot);
    const healthy = this.#random.chance(0.3);
    const result = healthy ? ({ healthy } as const) : ({ healthy, error: new Error('sick') } as const);
    // Where none is running, the result is that of a stale run.
    this.#registry.recordHealth(info.name, run ?? { startedAt: 0 }, result);
  }

  #watchStarter(what: string, starter: Promise<unknown>): void {
    const name = `${what} #${++this.#starts}`;
    this.#starters.add(name);
    starter.then(
      () => this.#starters.delete(name),
      (error: unknown) => this.#referee.violate(`${name} rejected: ${String(error)}`),
    );
  }

  #expectStopError(error: unknown): void {
    if (!(error instanceof StopFailedError)) this.#referee.violate(`a stop rejected with ${String(error)}`);
  }

  #onStatus(event: ComponentStatusEvent): void {
    this.#referee.onStatus(event);
    const { name, to } = event;
    const seen = this.#registry.status()[name]?.status;
    if (seen !== to) this.#referee.violate(`status() says that ${name} is ${seen} when it has become ${to}`);
    this.#interfere();
  }

  /** A listener that calls back, in the middle of everything. */
  #interfere(): void {
    if (this.#interfering || !this.#world.wild || !this.#random.chance(0.03)) return;
    this.#interfering = true;
    const act = this.#random.pick([
      () => this.#stopAll(SHUTDOWN_TIMEOUT_MS),
      () => this.#startAll(),
      () => this.#elect(),
      () => this.#depose(),
    ]);
    this.#referee.say('  a listener interferes');
    act();
    this.#interfering = false;
  }

  async #everyStarterResolves(): Promise<void> {
    this.#referee.say('wait for the starters');
    await this.#clock.advance(LONG_MS);
    for (const name of this.#starters) this.#referee.violate(`${name} hangs`);
    this.#referee.check();
  }

  async #stopsAll(): Promise<void> {
    this.#referee.say('stop for good');
    // Who starts something after the stop has only himself to blame.
    this.#interfering = true;
    this.#depose();
    this.#stopAll(SHUTDOWN_TIMEOUT_MS);
    await this.#clock.advance(SHUTDOWN_TIMEOUT_MS + this.#all.length + 1);
    this.#world.released.resolve();
    this.#world.wild = false;
    await this.#clock.advance(LONG_MS);
    for (const { component, status } of this.#referee.members.values()) {
      if (status !== 'stopped' && status !== 'failed')
        this.#referee.violate(`${component.name} is ${status} after the stop`);
      if (component.unsettled.length > 0) this.#referee.violate(`${component.name} runs after the stop`);
      const missing = component.runs.filter((it) => component.stop !== undefined && it.stops !== 1);
      if (missing.length > 0)
        this.#referee.violate(`${component.name}: ${missing.length} starts without exactly one stop`);
    }
    if (this.#clock.pending > 0) this.#referee.violate(`${this.#clock.pending} timers are left`);
    this.#referee.check();
  }

  async #comesUpWhenAllBehave(): Promise<void> {
    this.#referee.say('start again, well-behaved');
    this.#startAll();
    this.#elect();
    await this.#clock.advance(1000);
    for (const { component, status } of this.#referee.members.values()) {
      if (status !== 'running') this.#referee.violate(`${component.name} is ${status} though everybody behaves`);
    }
    this.#referee.check();
  }
}
