import { backoffMs } from '../core/backoff.js';
import type { Clock } from '../core/clock.js';
import type { ComponentOptions, RestartMode, RestartOptions } from '../core/component.js';
import { assertOneOf, definedOnly, rejectUnknownOptions } from '../core/option-checks.js';
import { checkRestartNumbers } from '../core/registry-options.js';
import { InvalidOptionError } from '../core/errors.js';

/** Also when the initial delay is 0: what fails at once must not keep the event loop to itself. */
const LEAST_DELAY_MS = 1;

const NONE: readonly number[] = [];

/** Why a run is over without having been told to end from outside. */
export type RunOverReason = 'failed' | 'finished' | 'unhealthy';

/** The next restart. */
export interface RestartPlan {
  /** Milliseconds from now. */
  readonly delayMs: number;
  /** No other restart was needed since the last stable run. */
  readonly first: boolean;
}

/**
 * Decides whether and when a component is started again.
 *
 * The delay grows with each restart. Count and delay are cleared only by a run that was ready for `stableAfterMs`,
 * never by a short success, and not by a new term.
 */
export class RestartPolicy {
  /** When restarts were granted, by the monotonic clock, oldest first. */
  #granted: readonly number[] = NONE;
  #sinceStable = 0;
  #readyAt: number | undefined;

  constructor(
    private readonly options: RestartOptions & { readonly mode: RestartMode },
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {}

  runIsReady(): void {
    this.#readyAt = this.clock.now();
  }

  /** Somebody has looked into it: what went before does not count any more. */
  reset(): void {
    this.#granted = NONE;
    this.#sinceStable = 0;
  }

  /** A run is over, or was told to end: how long that takes is no part of the time for which it was ready. */
  runIsNotReadyAnyMore(): void {
    const readyAt = this.#readyAt;
    this.#readyAt = undefined;
    if (readyAt === undefined || this.clock.now() - readyAt < this.options.stableAfterMs) return;
    this.reset();
  }

  /**
   * A run is over without having been told to end from outside.
   *
   * @returns when the next one may start, or `undefined`: not again.
   */
  runIsOver(reason: RunOverReason): RestartPlan | undefined {
    this.runIsNotReadyAnyMore();
    if (!this.#wants(reason)) return undefined;
    const now = this.clock.now();
    const granted = this.#granted.filter((at) => now - at < this.options.windowMs);
    this.#granted = granted;
    if (granted.length >= this.options.maxRestarts) return undefined;
    granted.push(now);
    const failures = this.#sinceStable++;
    const limits = { initialMs: this.options.initialDelayMs, maxMs: this.options.maxDelayMs };
    const delayMs = Math.max(LEAST_DELAY_MS, backoffMs(failures, limits, this.random()));
    return { delayMs, first: failures === 0 };
  }

  #wants(reason: RunOverReason): boolean {
    if (reason === 'unhealthy') return true; // `onUnhealthy: 'restart'` asks for it, whatever the mode
    return this.options.mode === 'always' || (this.options.mode === 'on-failure' && reason === 'failed');
  }
}

const NEVER = new WeakMap<RestartOptions, RestartOptions & { readonly mode: 'never' }>();

/** One for all components of a registry that say nothing. */
function neverWith(defaults: RestartOptions): RestartOptions & { readonly mode: 'never' } {
  const known = NEVER.get(defaults);
  if (known !== undefined) return known;
  const never = { ...defaults, mode: 'never' as const };
  NEVER.set(defaults, never);
  return never;
}

/** @throws InvalidOptionError */
export function resolveRestartOptions(
  restart: ComponentOptions['restart'],
  defaults: RestartOptions,
  where?: string,
): RestartOptions & { readonly mode: RestartMode } {
  if (restart === undefined) return neverWith(defaults);
  const given = typeof restart === 'object' && restart !== null ? restart : { mode: restart ?? 'never' };
  rejectUnknownOptions(
    given,
    ['mode', ...Object.keys(defaults)],
    where === undefined ? 'restart' : `restart of ${where}`,
  );
  if (given.mode === undefined) {
    throw new InvalidOptionError({
      option: 'restart.mode',
      value: undefined,
      expected: 'one of "never", "on-failure", "always"',
      remedy: 'Say when to restart.',
      ...(where !== undefined && { where }),
    });
  }
  assertOneOf('restart', given.mode, ['never', 'on-failure', 'always'], where);
  checkRestartNumbers(given, where);
  return { ...defaults, ...definedOnly(given), mode: given.mode };
}
