// The entry `nestjs-lifecycle/registry`: what a script without Nest needs. It loads nothing but Node.
export { Registry } from './registry.js';
export { type RegisterOptions } from './component-definition.js';
export { type RegistryOptions } from '../core/registry-options.js';
export {
  type Component,
  type ComponentClass,
  type ComponentInfo,
  type ComponentOptions,
  type ComponentRef,
  type ComponentRun,
  type Criticality,
  type HealthChecker,
  type RestartMode,
  type RestartOptions,
  type StartContext,
  type SubscriptionReadySignaler,
  type UnhealthyAction,
} from '../core/component.js';
export { type IsLeader } from './scopes.js';
export { type LeadershipTerm } from '../core/elector.js';
export { type EventSink } from '../core/event-sink.js';
export { type LifecycleLogger, type LogLevel } from '../core/logger.js';
export { type LogLine } from '../core/log-line.js';
export { type ErrorFields } from '../core/error-fields.js';
export { type Clock } from '../core/clock.js';
export { Status } from '../core/status.js';
export { untilAborted } from '../core/abort.js';
