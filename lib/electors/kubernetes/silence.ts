import type { Clock } from '../../core/clock.js';

export interface SilenceOptions {
  readonly clock: Clock;
  /** How often something is heard while somebody leads, in milliseconds. */
  readonly periodMs: number;
  /** Nothing was heard for two periods; called again after each that follows. */
  readonly onSilent: () => void;
  /** Nothing was heard for so long that it is better to begin anew. Called once. */
  readonly onDead: () => void;
}

const SILENT_AFTER = 2;
const DEAD_AFTER = 10;

/** How long nothing was heard. Its timers keep no process alive. */
export class Silence {
  #periods = 0;
  #cancel: () => void = () => undefined;

  constructor(private readonly options: SilenceOptions) {
    this.broken();
  }

  get isDead(): boolean {
    return this.#periods >= DEAD_AFTER;
  }

  /** Something was heard. */
  broken(): void {
    this.#periods = 0;
    this.#next();
  }

  end(): void {
    this.#cancel();
  }

  #next(): void {
    const { clock, periodMs } = this.options;
    this.#cancel();
    this.#cancel = clock.setTimer(() => this.#onPeriod(), periodMs, { background: true });
  }

  #onPeriod(): void {
    this.#periods++;
    if (this.isDead) return this.options.onDead();
    if (this.#periods >= SILENT_AFTER) this.options.onSilent();
    this.#next();
  }
}
