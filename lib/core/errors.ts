import { errorText } from './error-text.js';

/**
 * Base of every error that the library creates. `code` is stable and meant for programs, the message for people: what
 * is wrong, where, and what to do.
 *
 * @publicApi
 */
export abstract class LifecycleError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An option has a value that cannot work. @publicApi */
export class InvalidOptionError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_INVALID_OPTION';
  readonly option: string;
  readonly value: unknown;

  constructor(details: {
    option: string;
    value: unknown;
    expected: string;
    remedy: string;
    /** Where the option was given, for example "@LifecycleComponent() of OrderFeed". */
    where?: string;
  }) {
    const where = details.where === undefined ? '' : ` in ${details.where}`;
    super(
      `Option "${details.option}"${where} is ${describeValue(details.value)}, expected ${details.expected}. ${details.remedy}`,
    );
    this.option = details.option;
    this.value = details.value;
  }
}

/** Two apps of a process would record into the same metrics. @publicApi */
export class MetricsConflictError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_METRICS_CONFLICT';
}

/** Something was registered that has no `start()`, or no usable name. @publicApi */
export class InvalidComponentError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_INVALID_COMPONENT';
}

/** Two components have one name. @publicApi */
export class DuplicateComponentError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_DUPLICATE_COMPONENT';

  constructor(
    readonly component: string,
    first: string,
    second: string,
  ) {
    super(
      `Two components are named "${component}": ${first} and ${second}. ` +
        `Give one of them another name, with @LifecycleComponent({ name: '...' }) or a "name" property.`,
    );
  }
}

/** `dependsOn` names a component that is not registered. @publicApi */
export class UnknownDependencyError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_UNKNOWN_DEPENDENCY';

  constructor(
    readonly component: string,
    readonly dependency: string,
    known: readonly string[],
  ) {
    super(
      `Component "${component}" depends on "${dependency}", which is not registered. ` +
        `Registered: ${known.map((name) => `"${name}"`).join(', ') || 'none'}. ` +
        'Correct dependsOn, or import the module that provides the dependency.',
    );
  }
}

/** Components depend on each other in a circle. @publicApi */
export class DependencyCycleError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_DEPENDENCY_CYCLE';

  /** @param path names in order, the first one again at the end */
  constructor(readonly path: readonly string[]) {
    super(`Components depend on each other in a circle: ${path.join(' -> ')}. Remove one of these dependsOn entries.`);
  }
}

/** `registry.restart()` was given a name that no component has. @publicApi */
export class UnknownComponentError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_UNKNOWN_COMPONENT';

  constructor(
    readonly component: string,
    known: readonly string[],
  ) {
    super(
      `No component is named "${component}". ` +
        `Registered: ${known.map((name) => `"${name}"`).join(', ') || 'none'}. Correct the name.`,
    );
  }
}

/** A component was to be restarted that neither runs nor has failed here. @publicApi */
export class NotRestartableError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_NOT_RESTARTABLE';

  constructor(
    readonly component: string,
    why: string,
  ) {
    super(`Component "${component}" cannot be restarted: ${why}.`);
  }
}

/** A dependency that could never be satisfied, because of where the two components run. @publicApi */
export class InvalidDependencyError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_INVALID_DEPENDENCY';
}

/** A marked provider is request- or transient-scoped. @publicApi */
export class ComponentScopeError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_COMPONENT_SCOPE';

  constructor(
    readonly component: string,
    module: string,
    scope: string,
  ) {
    super(
      `Component "${component}" in module "${module}" is ${scope}-scoped, so there is no one instance to start. ` +
        'Make it, and what it injects, a default-scoped provider, or remove @LifecycleComponent().',
    );
  }
}

/** `LifecycleModule.forRoot()` is in one app more than once. @publicApi */
export class DuplicateModuleError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_DUPLICATE_MODULE';

  constructor() {
    super(
      'LifecycleModule.forRoot() or forRootAsync() is imported more than once in this app. ' +
        'Import it once, in the root module; its providers are global.',
    );
  }
}

/** A component did not become ready within its `startTimeoutMs`. @publicApi */
export class StartTimeoutError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_START_TIMEOUT';

  constructor(
    readonly component: string,
    timeoutMs: number,
    waitingFor: string,
  ) {
    super(
      `Component "${component}" was not ready after ${timeoutMs} ms: ${waitingFor} is still pending. ` +
        'Find out what it waits for, or raise startTimeoutMs.',
    );
  }
}

/** A component did not settle within its stop budget. @publicApi */
export class StopTimeoutError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_STOP_TIMEOUT';

  constructor(
    readonly component: string,
    timeoutMs: number,
    waitingFor: string,
  ) {
    super(
      `Component "${component}" has not stopped after ${Math.round(timeoutMs)} ms: ${waitingFor} is still pending. ` +
        'Let it react to its signal, or raise stopTimeoutMs.',
    );
  }
}

/** A component failed; `cause` is what it threw. @publicApi */
export class ComponentFailedError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_COMPONENT_FAILED';

  constructor(
    readonly component: string,
    cause: unknown,
  ) {
    super(`Component "${component}" failed: ${errorText(cause)}`, { cause });
  }
}

/** Some components did not stop as they should; all others have. @publicApi */
export class StopFailedError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_STOP_FAILED';

  constructor(readonly errors: readonly LifecycleError[]) {
    super(`${errors.length} component(s) did not stop cleanly: ${errors.map((error) => error.message).join(' | ')}`, {
      cause: errors[0],
    });
  }
}

/**
 * A start was asked for while the run before it has not settled, and did not for the time that the start had. It is still
 * made once that run settles.
 *
 * @publicApi
 */
export class PreviousRunUnsettledError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_PREVIOUS_RUN_UNSETTLED';

  constructor(readonly component: string) {
    super(
      `Component "${component}" has not been started yet: its previous run was told to end and has not settled. ` +
        'Two runs at once could do the work twice. Let the component react to its signal.',
    );
  }
}

/** A component with `restart: 'always'` finished by itself more often than its restarts allow. @publicApi */
export class RestartLimitError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_RESTART_LIMIT';

  constructor(
    readonly component: string,
    maxRestarts: number,
    windowMs: number,
  ) {
    super(
      `Component "${component}" finished by itself after ${maxRestarts} restarts within ${windowMs} ms. ` +
        'Find out why it does not stay up, or raise restart.maxRestarts.',
    );
  }
}

/** A component's health check failed as often in a row as its `onUnhealthy` waits for. @publicApi */
export class UnhealthyError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_UNHEALTHY';

  constructor(
    readonly component: string,
    failures: number,
    cause: unknown,
  ) {
    super(`Component "${component}" failed ${failures} health checks in a row: ${errorText(cause)}`, { cause });
  }
}

/**
 * A component shows no sign of progress. The message stays the same for as long as it is stalled, so that one stall is
 * one change to those who watch; how long it has been is in `stalledForMs`.
 *
 * @publicApi
 */
export class StallError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_STALLED';

  constructor(
    readonly component: string,
    what: string,
    /** Since the last sign of progress, in milliseconds. */
    readonly stalledForMs: number,
  ) {
    super(
      `Component "${component}" has stalled: ${what}. ` +
        'Find out what it waits for, or raise the limit of its HealthTracker.',
    );
  }
}

/** A health check did not settle within its timeout. @publicApi */
export class HealthCheckTimeoutError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_HEALTH_CHECK_TIMEOUT';

  constructor(
    readonly component: string,
    timeoutMs: number,
  ) {
    super(`The health check of component "${component}" has not settled within ${timeoutMs} ms`);
  }
}

/** The term of leadership has ended: what was about to happen must not. @publicApi */
export class TermEndedError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_TERM_ENDED';

  constructor(
    readonly election: string,
    readonly fencingToken: bigint,
    why: string,
    options?: ErrorOptions,
  ) {
    super(`Term ${fencingToken} of election "${election}" has ended: ${why}`, options);
  }
}

/** The election is not one that this replica stands for. @publicApi */
export class UnknownElectionError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_UNKNOWN_ELECTION';

  constructor(
    readonly election: string,
    known: readonly string[],
  ) {
    super(
      `This replica does not stand for election "${election}" ` +
        `(it does for: ${known.map((it) => `"${it}"`).join(', ') || 'none'}). ` +
        `Name it in a leader-only component, or in the module's option "elections".`,
    );
  }
}

/** `@LeaderOnly()` stands, or is used, where it cannot work. @publicApi */
export class LeaderOnlyUseError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_LEADER_ONLY_USE';
}

/**
 * A method marked with `@LeaderOnly()` was called on an object of which no app knows, so that nobody can tell whether it
 * may run. It did not run.
 *
 * @publicApi
 */
export class LeaderOnlyUnboundError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_LEADER_ONLY_UNBOUND';

  constructor(readonly method: string) {
    super(
      `${method}() is marked with @LeaderOnly(), and no app with LifecycleModule.forRoot() has made the object that it ` +
        'was called on, or the app is not that far yet: constructors are too early. Import LifecycleModule.forRoot() in ' +
        'the root module, and call the instance that Nest made. In a test do the same: without an elector it leads at once.',
    );
  }
}

/** A call of a method marked with `@LeaderOnly()` did not settle in time once its term had ended. @publicApi */
export class LeaderOnlyOverrunError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_LEADER_ONLY_OVERRUN';

  constructor(
    readonly election: string,
    readonly methods: readonly string[],
    timeoutMs: number,
  ) {
    super(
      `${methods.map((it) => `${it}()`).join(', ')} has not settled ${Math.round(timeoutMs)} ms after the term of election ` +
        `"${election}" ended; nobody else can lead in order before it has. Let it react to leaderTerm().signal, or ` +
        'raise stopTimeoutMs.',
    );
  }
}

/** `leaderTerm()` was called by code that runs under no term. @publicApi */
export class OutsideOfTermError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_OUTSIDE_OF_TERM';

  constructor() {
    super(
      'leaderTerm() was called outside of any term. Call it in a method marked with @LeaderOnly(), or in what a ' +
        'leader-only component runs; elsewhere ask Leadership.term().',
    );
  }
}

/** The engine did not answer in time; whether it did what it was asked is unknown. @publicApi */
export class RequestTimeoutError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_REQUEST_TIMEOUT';

  constructor(operation: string, timeoutMs: number) {
    super(`The engine has not answered "${operation}" within ${timeoutMs} ms. Check its load and the network.`);
  }
}

/** The engine, or its configuration, does not let this elector work; it stays so until somebody acts. @publicApi */
export class EngineRefusalError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_ENGINE_REFUSAL';
}

/**
 * The engine's server takes no writes now: a standby, or one that is being failed over. Tried again; when it stays so, the
 * elector was given the wrong server.
 *
 * @publicApi
 */
export class EngineStandbyError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_ENGINE_STANDBY';

  constructor(engine: string, options?: ErrorOptions) {
    super(
      `This ${engine} server is a standby, or read-only: leases are written. Connect to the primary, by a name that ` +
        'follows it over a failover.',
      options,
    );
  }
}

/** A fenced resource refuses: somebody else has led since the term began, or the lease was given back. @publicApi */
export class StaleTokenError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_STALE_TOKEN';

  constructor(
    readonly election: string,
    readonly fencingToken: bigint,
  ) {
    super(
      `Token ${fencingToken} of election "${election}" is stale: its term is over, and nothing may be done under it any ` +
        'more. Roll the transaction back.',
    );
  }
}

/** The engine answered something that its elector cannot have meant; nothing is done on the strength of it. @publicApi */
export class EngineAnswerError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_ENGINE_ANSWER';

  constructor(operation: string, what: string) {
    super(
      `The answer to "${operation}" cannot be used: ${what}. ` +
        'Something else may have written to the key of this election, or the elector has a fault.',
    );
  }
}

/** An elector stands for an election once at a time. @publicApi */
export class CampaignUnderWayError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_CAMPAIGN_UNDER_WAY';

  constructor(readonly election: string) {
    super(
      `A campaign for election "${election}" is still under way on this elector: two of them would lead in turns. ` +
        'Wait for the first one to end, or give each its own elector.',
    );
  }
}

/** The work of a term has not settled in the time that was left for it, so the lease runs out instead of being released. @publicApi */
export class LeaseOverrunError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_LEASE_OVERRUN';

  constructor(
    readonly election: string,
    budgetMs: number,
  ) {
    super(
      `The work of election "${election}" has not settled ${Math.round(budgetMs)} ms after the term ended. Another ` +
        'replica may lead meanwhile. Let leader-only components react to their signal.',
    );
  }
}

/** This replica gave the leadership up by itself. @publicApi */
export class SteppedDownError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_STEPPED_DOWN';

  constructor(
    readonly election: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`Stepped down from election "${election}": ${reason}`, options);
  }
}

/**
 * Why a run's signal was aborted. Its `name` is `AbortError`, which is what code that is handed an AbortSignal tests.
 *
 * @publicApi
 */
export class RunEndedError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_RUN_ENDED';

  constructor(
    readonly component: string,
    why: string,
    options?: ErrorOptions,
  ) {
    super(`The run of component "${component}" must end: ${why}`, options);
    this.name = 'AbortError';
  }
}

/** The management server of `health.port` cannot listen; `cause` is what the system said. @publicApi */
export class ManagementPortError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_MANAGEMENT_PORT';

  constructor(
    readonly port: number,
    readonly host: string | undefined,
    cause: unknown,
  ) {
    super(
      `The management server cannot listen on health.port ${port}${host === undefined ? '' : `, health.host "${host}"`}: ` +
        `${errorText(cause)}. ${portRemedy((cause as { code?: unknown } | undefined)?.code)}`,
      { cause },
    );
  }
}

function portRemedy(code: unknown): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'Something else listens there, such as the app itself or another replica on this host: give another port, or 0 for one that is free.';
    case 'EACCES':
      return 'This user may not: give a port above 1023.';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return 'Give a host that is an address of this machine, or leave health.host out to listen on all interfaces.';
    default:
      return 'Give another port or host.';
  }
}

/** Two parts of an app want the same path of its management server. @publicApi */
export class ManagementPathError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_MANAGEMENT_PATH';

  constructor(
    readonly path: string,
    first: string,
    second: string,
  ) {
    super(
      `Path "${path}" of the management server is wanted by ${first} and by ${second}. ` +
        'Give one of them another path, for the health endpoints with health.path.',
    );
  }
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value === 'function') return `the function ${value.name || '(anonymous)'}`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'object' && value !== null) {
    try {
      return `${JSON.stringify(value)} (an object)`;
    } catch {
      return 'an object that cannot be printed';
    }
  }
  return `${String(value)} (${typeof value})`;
}
