// The module
export { LifecycleModule } from './lifecycle.module.js';
export {
  type ElectorProvider,
  type LifecycleAsyncOptions,
  type LifecycleModuleExtras,
  type LifecycleOptionsFactory,
  type LifecycleRootOptions,
} from './lifecycle.module-options.js';
export {
  type ElectorClass,
  type EventsOptions,
  type HealthOptions,
  type LifecycleModuleOptions,
} from './lifecycle.options.js';

// Decorators: what a component is
export { LifecycleComponent, type LifecycleComponentOptions } from './decorators/lifecycle-component.decorator.js';
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
} from './core/component.js';

// Registry: what runs
export { Registry } from './registry/registry.js';
export { type IsLeader } from './registry/scopes.js';
export { type RegisterOptions } from './registry/component-definition.js';
export { type ComponentSnapshot } from './registry/component-snapshot.js';
export { type HealthResult } from './registry/component-state.js';
export { type LeaderTrouble, type LeadershipListener } from './registry/component-host.js';
export { type RunContext } from './core/run-context.js';
export { type RegistryOptions } from './core/registry-options.js';
export { Status } from './core/status.js';

// Leadership: who leads
export { Leadership } from './leadership/leadership.js';
export { type LeadershipOptions } from './leadership/leadership-options.js';
export { type ElectionSnapshot } from './leadership/election-snapshot.js';
export {
  type Candidate,
  type Diagnosis,
  type Elector,
  type ElectorReport,
  type LeaderInfo,
  type LeadershipTerm,
} from './core/elector.js';
export { ElectionTerm } from './core/election-term.js';
export { StandaloneElector } from './electors/standalone/standalone-elector.js';

// Leases: for an elector on an engine of your own
export { LeaseElector, type LeaseElectorOptions } from './core/lease/lease-elector.js';
export {
  LEASE_ELECTOR_SETTINGS,
  resolveLeaseElectorSettings,
  type LeaseElectorSettings,
} from './core/lease/lease-elector-settings.js';
export {
  resolveLeaseTiming,
  type LeaseTiming,
  type LeaseTimingOptions,
  type LeaseTimingRules,
} from './core/lease/lease-timing.js';
export {
  type AbsentRecord,
  type AcquireResult,
  type FreeRecord,
  type HeldRecord,
  type LeaseClaim,
  type LeaseHolder,
  type LeaseRecord,
  type LeaseStore,
  type LeaseToRelease,
  type OwnLease,
  type RecordVersion,
  type ReleaseNotice,
  type RenewResult,
} from './core/lease/lease-store.js';

// Leader-only methods: what only the leader does
export { LeaderOnly, type LeaderOnlyOptions } from './leader-only/leader-only.decorator.js';
export { LeaderOnlyCalls, type LeaderOnlyCount } from './leader-only/leader-only-calls.js';
export { leaderTerm } from './leader-only/leader-term.js';
export { NotLeaderException } from './leader-only/not-leader.exception.js';

// Events: what happens
export { EventBus } from './events/event-bus.js';
export { type EventBusOptions } from './events/event-bus-options.js';
export { type EventSubscription, type SubscribeOptions } from './events/event-subscription.js';
export { type LeadershipEventName } from './events/published-event.js';
export { type EventSink, type PausableEventSink } from './core/event-sink.js';
export {
  LifecycleEvent,
  type ComponentStatusEvent,
  type HealthChangedEvent,
  type LeadershipAcquiredEvent,
  type LeadershipLostEvent,
  type LeadershipObservedEvent,
  type LifecycleEventMap,
  type LifecycleEventName,
} from './core/lifecycle-events.js';

// Observers: who sees it
export {
  type AppPhase,
  type HealthCheckReport,
  type LifecycleObserver,
  type ObservedApp,
  type ObservedElection,
  type ObservedEvent,
  type ObservedProbe,
  type ObserverPage,
  type TermProgress,
} from './core/lifecycle-observer.js';

// Status page: all of it at a glance
export { type StatusPageGuard, type StatusPageOptions } from './core/status-page-options.js';
export { type ElectionDocument, type StatusDocument } from './status-page/status-document.js';
export { type LeaderDocument, type StatusEntry, type StatusFact } from './status-page/status-entry.js';

// Health: how it is doing
export { HealthTracker, type ProcessingHandle } from './health/health-tracker.js';
export { type HealthTrackerOptions } from './health/health-tracker-options.js';
export {
  activityStallTimeoutMs,
  createActivityTracker,
  createProcessingTracker,
  type TrackerOptions,
} from './health/create-tracker.js';
export { HealthMonitor, type HealthMonitorOptions } from './health/health-monitor.js';
export { type CheckedRegistry } from './health/checked-registry.js';
export { type HealthVerdict } from './health/health-verdict.js';
export { type ComponentVerdict, type HealthLevel } from './health/component-verdict.js';
export { type ElectionVerdict } from './health/election-verdict.js';
export { LifecycleHealthIndicator } from './terminus/lifecycle-health.indicator.js';

// Management: a port of its own
export { ManagementServer, type ManagementAddress } from './management/management-server.js';

// Surroundings
export { untilAborted } from './core/abort.js';
export { systemClock, type Clock } from './core/clock.js';
export { type LifecycleLogger, type LogLevel } from './core/logger.js';
export { type LogFormat, type LogLine } from './core/log-line.js';
export { type ErrorFields } from './core/error-fields.js';
export {
  CampaignUnderWayError,
  ComponentFailedError,
  ComponentScopeError,
  DependencyCycleError,
  DuplicateComponentError,
  DuplicateModuleError,
  EngineAnswerError,
  EngineRefusalError,
  EngineStandbyError,
  HealthCheckTimeoutError,
  InvalidComponentError,
  InvalidDependencyError,
  InvalidOptionError,
  LeaderOnlyOverrunError,
  LeaderOnlyUnboundError,
  LeaderOnlyUseError,
  LeaseOverrunError,
  LifecycleError,
  NotRestartableError,
  ManagementPathError,
  ManagementPortError,
  MetricsConflictError,
  OutsideOfTermError,
  PreviousRunUnsettledError,
  RequestTimeoutError,
  RestartLimitError,
  RunEndedError,
  StaleTokenError,
  StallError,
  StartTimeoutError,
  SteppedDownError,
  StopFailedError,
  StopTimeoutError,
  TermEndedError,
  UnhealthyError,
  UnknownComponentError,
  UnknownDependencyError,
  UnknownElectionError,
} from './core/errors.js';
