import type { Clock } from '../../../../lib/core/clock.js';
import type { Happening, World } from './world.js';

/** Timers of Node may fire up to this much before their time. */
const TIMERS_FIRE_EARLY_MS = 1;

interface Deferred {
  readonly kind: 'timer' | 'io';
  readonly at: number;
  readonly run: () => void;
}

/**
 * A process on a machine of its own: a clock that runs too fast or too slow, and pauses in which none of its code runs.
 * After one, what fell due meanwhile comes in Node's order: timers first, then what the network has brought.
 */
export class Host implements Clock {
  /** Called when a pause is over, before anything else runs. */
  onResume: () => void = () => undefined;
  /** When it last stood still, on its clock that never does. */
  lastPauseAt = Number.NEGATIVE_INFINITY;
  readonly #timers = new Set<object>();
  #state: 'running' | 'paused' | 'dead' = 'running';
  #backlog: Deferred[] = [];
  /** How long the machine has slept: only its monotonic clock does not know. */
  #sleptMs = 0;
  #wallOffsetMs = 1_700_000_000_000;

  /** @param rate of its clocks, against true time */
  constructor(
    private readonly world: World,
    readonly rate: number,
    private readonly random: () => number,
  ) {}

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  now(): number {
    return (this.world.now - this.#sleptMs) * this.rate;
  }

  wallNow(): number {
    return this.world.now * this.rate + this.#wallOffsetMs;
  }

  bootNow(): number {
    return this.world.now * this.rate;
  }

  setTimer(callback: () => void, delayMs: number): () => void {
    const due = this.now() + (delayMs > 0 ? delayMs : 0);
    const timer = {};
    let happening: Happening | undefined;
    const fire = (): void => {
      if (!this.#timers.has(timer)) return;
      const leftMs = due - this.now();
      if (leftMs > TIMERS_FIRE_EARLY_MS) return schedule(leftMs);
      this.#timers.delete(timer);
      callback();
    };
    const schedule = (inMs: number): void => {
      const earlyMs = inMs > TIMERS_FIRE_EARLY_MS ? this.random() * TIMERS_FIRE_EARLY_MS : 0;
      const at = this.world.now + (inMs - earlyMs) / this.rate;
      happening = this.world.at(at, () => this.#runOrDefer('timer', fire));
    };
    this.#timers.add(timer);
    schedule(due - this.now());
    return () => {
      this.#timers.delete(timer);
      if (happening !== undefined) happening.cancelled = true;
    };
  }

  /** Something arrives from outside: nothing of it is noticed while the process does not run. */
  receive(inMs: number, run: () => void): void {
    this.world.at(this.world.now + inMs, () => this.#runOrDefer('io', run));
  }

  /** SIGSTOP, a blocked event loop, a stopped virtual machine; `asleep`: the machine sleeps. */
  pause(forMs: number, asleep = false): void {
    if (this.#state !== 'running') return;
    this.#state = 'paused';
    this.world.at(this.world.now + forMs, () => {
      if (this.#state !== 'paused') return undefined;
      if (asleep) this.#sleptMs += forMs;
      return this.#resume();
    });
  }

  setWallClock(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /** SIGKILL. */
  kill(): void {
    this.#state = 'dead';
    this.#timers.clear();
    this.#backlog = [];
  }

  async #resume(): Promise<void> {
    this.#state = 'running';
    this.lastPauseAt = this.bootNow();
    this.onResume();
    await this.world.settle();
    const backlog = this.#backlog.splice(0);
    const rank = ({ kind, at }: Deferred) => (kind === 'timer' ? 0 : Number.MAX_SAFE_INTEGER / 2) + at;
    for (const { kind, run } of backlog.toSorted((a, b) => rank(a) - rank(b))) {
      this.#runOrDefer(kind, run);
      await this.world.settle();
    }
  }

  #runOrDefer(kind: Deferred['kind'], run: () => void): void {
    if (this.#state === 'running') run();
    else if (this.#state === 'paused') this.#backlog.push({ kind, at: this.world.now, run });
  }
}
