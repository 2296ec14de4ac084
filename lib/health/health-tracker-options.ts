import type { Clock } from '../core/clock.js';
import { InvalidOptionError } from '../core/errors.js';
import { assertTimeout } from '../core/option-checks.js';

/** When a `HealthTracker` says that its component has stalled. @publicApi */
export interface HealthTrackerOptions {
  /** Longest silence between two `recordActivity()`, in milliseconds. @default no limit */
  readonly activityTimeoutMs?: number;
  /** Longest processing, in milliseconds. @default no limit */
  readonly processingTimeoutMs?: number;
  /** The same clock as the registry's. @default the system's monotonic clock */
  readonly clock?: Clock;
}

/** @throws InvalidOptionError */
export function assertTrackerArguments(componentName: unknown, options: HealthTrackerOptions): void {
  const { activityTimeoutMs, processingTimeoutMs, clock } = options;
  if (typeof componentName !== 'string' || componentName === '') {
    throw invalid('componentName', componentName, 'a non-empty string', 'Pass the name of the component.');
  }
  const where = `the HealthTracker of "${componentName}"`;
  assertTimeout('activityTimeoutMs', activityTimeoutMs, where);
  assertTimeout('processingTimeoutMs', processingTimeoutMs, where);
  if (activityTimeoutMs === undefined && processingTimeoutMs === undefined) {
    throw invalid('activityTimeoutMs', undefined, 'a number of milliseconds', 'Give it, processingTimeoutMs, or both.');
  }
  if (clock !== undefined && typeof (clock as Partial<typeof clock> | null)?.now !== 'function') {
    throw invalid('clock', clock, 'a Clock', "Pass the registry's clock, or leave it out.");
  }
}

/** @throws InvalidOptionError */
export function assertRequiredTimeout(option: string, value: unknown, where: string): void {
  if (value !== undefined) return assertTimeout(option, value, where);
  const remedy = 'Durations are numbers of milliseconds, for example 5000.';
  throw new InvalidOptionError({ option, value, expected: 'milliseconds, more than 0', remedy, where });
}

function invalid(option: string, value: unknown, expected: string, remedy: string): InvalidOptionError {
  return new InvalidOptionError({ option, value, expected, remedy });
}
