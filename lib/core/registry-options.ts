import type { Clock } from './clock.js';
import type { RestartOptions } from './component.js';
import { silentSink, type EventSink } from './event-sink.js';
import { InvalidOptionError } from './errors.js';
import {
  assertCount,
  assertDuration,
  assertFunction,
  assertTimeout,
  definedOnly,
  rejectUnknownOptions,
} from './option-checks.js';

/** Options of a Registry. @publicApi */
export interface RegistryOptions {
  /** Where transitions are published. @default nowhere */
  readonly events?: EventSink;
  /** Time for a component to become ready, in milliseconds. @default 30000 */
  readonly startTimeoutMs?: number;
  /** Time for a component to settle once told to end, in milliseconds. @default 10000 */
  readonly stopTimeoutMs?: number;
  /** Time for all components together to stop, in milliseconds. @default 25000 */
  readonly shutdownTimeoutMs?: number;
  /** Numbers of the restart policy for components that do not give their own. */
  readonly restart?: Partial<RestartOptions>;
  /** Failed health checks in a row before `onUnhealthy` applies. @default 3 */
  readonly unhealthyThreshold?: number;
  /** @default the system's time */
  readonly clock?: Clock;
  /** Source of jitter, from 0 to 1. @default Math.random */
  readonly random?: () => number;
}

/** The one place where these defaults are written. */
export const REGISTRY_DEFAULTS = {
  startTimeoutMs: 30_000,
  stopTimeoutMs: 10_000,
  shutdownTimeoutMs: 25_000,
  unhealthyThreshold: 3,
  restart: { initialDelayMs: 1000, maxDelayMs: 60_000, maxRestarts: 5, windowMs: 600_000, stableAfterMs: 60_000 },
} as const;

export type ResolvedRegistryOptions = Required<Omit<RegistryOptions, 'clock' | 'random' | 'restart'>> & {
  readonly restart: RestartOptions;
};

/** @throws InvalidOptionError */
export function resolveRegistryOptions(options: RegistryOptions, where?: string): ResolvedRegistryOptions {
  assertTimeout('startTimeoutMs', options.startTimeoutMs, where);
  assertTimeout('stopTimeoutMs', options.stopTimeoutMs, where);
  assertTimeout('shutdownTimeoutMs', options.shutdownTimeoutMs, where);
  assertCount('unhealthyThreshold', options.unhealthyThreshold, 1, where);
  assertFunction('random', options.random, where);
  checkRestartDefaults(options.restart, where);
  return {
    events: options.events ?? silentSink,
    startTimeoutMs: options.startTimeoutMs ?? REGISTRY_DEFAULTS.startTimeoutMs,
    stopTimeoutMs: options.stopTimeoutMs ?? REGISTRY_DEFAULTS.stopTimeoutMs,
    shutdownTimeoutMs: options.shutdownTimeoutMs ?? REGISTRY_DEFAULTS.shutdownTimeoutMs,
    unhealthyThreshold: options.unhealthyThreshold ?? REGISTRY_DEFAULTS.unhealthyThreshold,
    restart: { ...REGISTRY_DEFAULTS.restart, ...definedOnly(options.restart ?? {}) },
  };
}

function checkRestartDefaults(restart: Partial<RestartOptions> | undefined, where: string | undefined): void {
  if (restart === undefined) return;
  if (typeof restart !== 'object' || restart === null) {
    throw new InvalidOptionError({
      option: 'restart',
      value: restart,
      expected: 'an object of numbers, such as { maxRestarts: 3 }',
      remedy: 'Each component says when it is restarted, for example with restart: "on-failure".',
      ...(where !== undefined && { where }),
    });
  }
  rejectUnknownOptions(
    restart,
    Object.keys(REGISTRY_DEFAULTS.restart),
    where === undefined ? 'restart' : `restart of ${where}`,
  );
  checkRestartNumbers(restart, where);
}

/** @throws InvalidOptionError */
export function checkRestartNumbers(numbers: Partial<RestartOptions>, where?: string): void {
  assertDuration('restart.initialDelayMs', numbers.initialDelayMs, where);
  assertDuration('restart.maxDelayMs', numbers.maxDelayMs, where);
  assertCount('restart.maxRestarts', numbers.maxRestarts, 0, where);
  assertTimeout('restart.windowMs', numbers.windowMs, where);
  assertDuration('restart.stableAfterMs', numbers.stableAfterMs, where);
}
