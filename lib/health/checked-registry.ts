import type { RunContext } from '../core/run-context.js';
import type { ComponentSnapshot } from '../registry/component-snapshot.js';
import type { HealthResult } from '../registry/component-state.js';

/** What health needs of a Registry. */
export interface CheckedRegistry {
  /** All components in order of registration. Runs no user code. */
  snapshot(): readonly ComponentSnapshot[];
  /** Takes the result of a check; ignored when `run` is not the component's current run any more. */
  recordHealth(name: string, run: RunContext, result: HealthResult): void;
}
