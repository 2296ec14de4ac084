import type { Component, ComponentInfo } from '../core/component.js';
import type { RunContext } from '../core/run-context.js';

/** One component as health sees it at this instant. */
export interface ComponentSnapshot {
  readonly info: ComponentInfo;
  readonly component: Component;
  /** The run that is under way; compare it after an await to know whether a result is still about the same run. */
  readonly run?: RunContext;
  /** What made it fail or overrun, as it was thrown. */
  readonly error?: unknown;
  /** What the last health check of this run threw. */
  readonly healthError?: unknown;
  /** Failed, and neither the restart policy nor a new term is going to start it again by itself. */
  readonly failedForGood: boolean;
  /** Finished by itself, as `completes: true` allows. */
  readonly completed: boolean;
  /** Was told to end, and its stop budget is over. */
  readonly overrunning: boolean;
}
