import { hostname } from 'node:os';
import { randomBytes } from 'node:crypto';
import { systemClock, type Clock } from './core/clock.js';
import type { Elector } from './core/elector.js';
import { assertElector } from './core/elector-check.js';
import { InvalidOptionError } from './core/errors.js';
import type { LifecycleObserver } from './core/lifecycle-observer.js';
import type { LogFormat } from './core/log-line.js';
import type { LifecycleLogger } from './core/logger.js';
import { assertElectionNames } from './core/names.js';
import {
  assertBoolean,
  assertCount,
  assertDuration,
  assertFunction,
  assertMethods,
  assertObject,
  assertTimeout,
  rejectUnknownOptions,
} from './core/option-checks.js';
import { resolveStatusPageOptions, type StatusPageOptions } from './core/status-page-options.js';
import {
  REGISTRY_DEFAULTS,
  resolveRegistryOptions,
  type RegistryOptions,
  type ResolvedRegistryOptions,
} from './core/registry-options.js';

/** A class whose instances are electors. @publicApi */
export type ElectorClass = new (...args: never[]) => Elector;

/** How health is watched. @publicApi */
export interface HealthOptions {
  /**
   * Serve `GET /<path>`, `/<path>/live`, `/<path>/ready` and `/<path>/startup`. With `forRootAsync()` it stands beside
   * `useFactory`, since routes are fixed before factories run.
   *
   * @default true
   */
  readonly endpoints?: boolean;
  /** Where the endpoints are; beside `useFactory` as well. @default 'health' */
  readonly path?: string;
  /**
   * Applied to the health controller, to mark it public for a global guard for example; beside `useFactory` as well.
   *
   * @default []
   */
  readonly decorators?: readonly (ClassDecorator | MethodDecorator)[];
  /** Time between two checks of a component, in milliseconds. @default 5000 */
  readonly intervalMs?: number;
  /** Time that one check may take, in milliseconds. @default 2000 */
  readonly timeoutMs?: number;
  /**
   * Show the texts of errors at `/health` and in the reasons of the probes. `false`: names and states only; the texts, which
   * may hold hosts, queries or secrets, go to the log.
   *
   * @default true
   */
  readonly errorDetails?: boolean;
  /**
   * Serve the endpoints, and the pages of observers, on a port of their own; the app's own server has none of them then.
   * It listens before any component starts, closes after all have stopped, and does not keep the process alive. 0: a port
   * that is free, which `ManagementServer.address()` tells.
   *
   * @default none: the app's own server
   */
  readonly port?: number;
  /** Address or host name of this machine to listen on, only with `port`. @default all interfaces, IPv6 and IPv4 */
  readonly host?: string;
}

/** How events are buffered. @publicApi */
export interface EventsOptions {
  /** Unread events that a subscription keeps when `subscribe()` names no number. @default 1024 */
  readonly bufferSize?: number;
  /** Events that a pause holds back. @default 65536 */
  readonly pauseBufferSize?: number;
}

/**
 * Options of `LifecycleModule`. All have defaults: without any, the app is its own and only leader.
 *
 * @publicApi
 */
export interface LifecycleModuleOptions extends Omit<RegistryOptions, 'events'> {
  /**
   * Decides which replica leads: an elector, or the class of one, which is injected what it needs. As a provider (`useFactory`, `useClass`,
   * `useExisting`): see `elector` of `forRoot()` and `forRootAsync()`.
   *
   * @default a StandaloneElector: this process leads at once
   */
  readonly elector?: Elector | ElectorClass;
  /** Elections to stand for, besides those that leader-only components name. @default ['default'] if those name none */
  readonly elections?: readonly string[];
  /** Who this replica is in elections, for people. Must differ between replicas. @default host, pid and a random part */
  readonly identity?: string;
  /** Start components and stand for election at bootstrap. `false`: only register, for tests. @default true */
  readonly autoStart?: boolean;
  /** `listen()` waits for the first start. `false`: it goes on in the background. @default true */
  readonly awaitStart?: boolean;
  /**
   * A critical all-replica component that fails its first start for good makes `listen()` reject, after what had
   * started is stopped. `false`, or `awaitStart: false`: the app boots, and is not ready.
   *
   * @default true
   */
  readonly failFast?: boolean;
  /** Exit with code 1, after an orderly stop, when a critical component fails for good after the boot. @default false */
  readonly exitOnFailure?: boolean;
  /**
   * Kill the process (SIGKILL) when its main thread is blocked beyond the deadline of a term: it could not stop its work, and
   * another replica leads soon. For electors with a lease; with others it does nothing.
   *
   * @default false
   */
  readonly watchdog?: boolean;
  /**
   * Look the app and its engine over once, some seconds after the boot, and warn about what is wrong, with what to do about
   * it. It changes nothing.
   *
   * @default true
   */
  readonly doctor?: boolean;
  /**
   * How long the app goes on at shutdown with readiness 503, in milliseconds, so that load balancers see it. Leader-only
   * components hand over at once all the same.
   *
   * @default 0
   */
  readonly drainDelayMs?: number;
  readonly health?: HealthOptions;
  readonly events?: EventsOptions;
  /** Who sees what happens: metrics, traces, observers of your own. Called in this order. @default [] */
  readonly observers?: readonly LifecycleObserver[];
  /**
   * Serve a page that shows what this replica does: states, leaders, what happened. With `forRootAsync()` it stands beside
   * `useFactory`, since routes are fixed before factories run.
   *
   * @default off
   */
  readonly statusPage?: StatusPageOptions;
  /** @default Nest's Logger */
  readonly logger?: LifecycleLogger;
  /**
   * What the logger gets: lines of text, or a `LogLine` object each, which a logger that writes JSON prints as fields.
   *
   * @default 'fields' where the logger is Nest's ConsoleLogger with `json: true`, else 'text'
   */
  readonly logFormat?: LogFormat;
}

/** How health is watched, with every default applied. */
export type ResolvedHealthOptions = Required<Omit<HealthOptions, 'port' | 'host'>> &
  Pick<HealthOptions, 'port' | 'host'>;

/** Options with every default applied. */
export interface ResolvedLifecycleOptions {
  /** As they were given, for `enabled` functions. */
  readonly given: LifecycleModuleOptions;
  readonly registry: Omit<ResolvedRegistryOptions, 'events'>;
  readonly elector?: Elector | ElectorClass;
  readonly elections: readonly string[];
  readonly identity: string;
  readonly autoStart: boolean;
  readonly awaitStart: boolean;
  readonly failFast: boolean;
  readonly exitOnFailure: boolean;
  readonly watchdog: boolean;
  readonly doctor: boolean;
  readonly drainDelayMs: number;
  readonly health: ResolvedHealthOptions;
  readonly events: EventsOptions;
  readonly observers: readonly LifecycleObserver[];
  readonly statusPage?: Required<StatusPageOptions>;
  readonly logger?: LifecycleLogger;
  readonly logFormat?: LogFormat;
  readonly clock: Clock;
  readonly random: () => number;
}

const WHERE = 'LifecycleModule';
const HEALTH_DEFAULTS = {
  endpoints: true,
  path: 'health',
  decorators: [],
  intervalMs: 5000,
  timeoutMs: 2000,
  errorDetails: true,
} as const;

/** An IP address of either kind, with its zone, or a host name. */
const HOST = /^(?:[\da-f]*:[\da-f:.]*(?:%[\w.-]+)?|[\w-]+(?:\.[\w-]+)*)$/i;

const OPTION_NAMES: readonly (keyof LifecycleModuleOptions)[] = [
  'elector',
  'elections',
  'identity',
  'autoStart',
  'awaitStart',
  'failFast',
  'exitOnFailure',
  'watchdog',
  'doctor',
  'drainDelayMs',
  'health',
  'events',
  'observers',
  'statusPage',
  'logger',
  'logFormat',
  'startTimeoutMs',
  'stopTimeoutMs',
  'shutdownTimeoutMs',
  'restart',
  'unhealthyThreshold',
  'clock',
  'random',
];

/**
 * Checks the module's options once, and decides each of them.
 *
 * @throws InvalidOptionError that names option, value and remedy
 */
export function resolveOptions(options: LifecycleModuleOptions): ResolvedLifecycleOptions {
  assertObject('options', options, WHERE);
  rejectUnknownOptions(options, OPTION_NAMES, WHERE);
  checkFlags(options);
  checkObjects(options);
  assertElector(options.elector, WHERE);
  assertElectionNames('elections', options.elections, WHERE);
  assertIdentity(options.identity);
  assertObservers(options.observers);
  assertLogFormat(options.logFormat);
  const { events, ...forRegistry } = options;
  const { events: _, ...registry } = resolveRegistryOptions(forRegistry, WHERE);
  return {
    given: options,
    registry,
    ...(options.elector !== undefined && { elector: options.elector }),
    elections: options.elections ?? [],
    identity: options.identity ?? `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`,
    autoStart: options.autoStart ?? true,
    awaitStart: options.awaitStart ?? true,
    failFast: options.failFast ?? true,
    exitOnFailure: options.exitOnFailure ?? false,
    watchdog: options.watchdog ?? false,
    doctor: options.doctor ?? true,
    drainDelayMs: options.drainDelayMs ?? 0,
    health: resolveHealthOptions(options.health),
    events: resolveEventsOptions(events),
    observers: options.observers ?? [],
    ...(options.statusPage !== undefined && { statusPage: resolveStatusPageOptions(options.statusPage, WHERE) }),
    ...(options.logger && { logger: options.logger }),
    ...(options.logFormat !== undefined && { logFormat: options.logFormat }),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

/** @throws InvalidOptionError */
export function resolveHealthOptions(health: HealthOptions = {}): ResolvedHealthOptions {
  assertObject('health', health, WHERE);
  rejectUnknownOptions(health, [...Object.keys(HEALTH_DEFAULTS), 'port', 'host'], 'health of LifecycleModule');
  assertDecorators(health.decorators);
  assertBoolean('health.endpoints', health.endpoints, WHERE);
  assertTimeout('health.intervalMs', health.intervalMs, WHERE);
  assertTimeout('health.timeoutMs', health.timeoutMs, WHERE);
  assertBoolean('health.errorDetails', health.errorDetails, WHERE);
  assertManagementAddress(health);
  return {
    endpoints: health.endpoints ?? HEALTH_DEFAULTS.endpoints,
    // `null` has to reach the check of the path, where it is refused.
    path: health.path === undefined ? HEALTH_DEFAULTS.path : health.path,
    decorators: health.decorators ?? HEALTH_DEFAULTS.decorators,
    intervalMs: health.intervalMs ?? HEALTH_DEFAULTS.intervalMs,
    timeoutMs: health.timeoutMs ?? HEALTH_DEFAULTS.timeoutMs,
    errorDetails: health.errorDetails ?? HEALTH_DEFAULTS.errorDetails,
    ...(health.port !== undefined && { port: health.port }),
    ...(health.host !== undefined && { host: health.host }),
  };
}

function resolveEventsOptions(events: EventsOptions = {}): EventsOptions {
  assertObject('events', events, WHERE);
  rejectUnknownOptions(events, ['bufferSize', 'pauseBufferSize'], 'events of LifecycleModule');
  assertCount('events.bufferSize', events.bufferSize, 1, WHERE);
  assertCount('events.pauseBufferSize', events.pauseBufferSize, 1, WHERE);
  return events;
}

function checkFlags(options: LifecycleModuleOptions): void {
  assertBoolean('autoStart', options.autoStart, WHERE);
  assertBoolean('awaitStart', options.awaitStart, WHERE);
  assertBoolean('failFast', options.failFast, WHERE);
  assertBoolean('exitOnFailure', options.exitOnFailure, WHERE);
  assertBoolean('watchdog', options.watchdog, WHERE);
  assertBoolean('doctor', options.doctor, WHERE);
  assertDuration('drainDelayMs', options.drainDelayMs, WHERE);
  assertFunction('random', options.random, WHERE);
}

function checkObjects({ restart, logger, clock }: LifecycleModuleOptions): void {
  if (restart !== undefined) {
    assertObject('restart', restart, WHERE, 'Give its numbers; the mode is for each component to choose.');
    rejectUnknownOptions(restart, Object.keys(REGISTRY_DEFAULTS.restart), 'restart of LifecycleModule');
  }
  assertMethods('logger', logger, ['log', 'warn', 'error'], WHERE);
  assertMethods('clock', clock, ['now', 'wallNow', 'setTimer'], WHERE);
}

function assertDecorators(decorators: unknown): void {
  if (decorators === undefined) return;
  if (Array.isArray(decorators) && decorators.every((it) => typeof it === 'function')) return;
  throw new InvalidOptionError({
    option: 'health.decorators',
    value: decorators,
    where: WHERE,
    expected: 'an array of decorators',
    remedy: "Write decorators: [SetMetadata('isPublic', true)], each called as it would be above a class.",
  });
}

function assertManagementAddress({ port, host }: HealthOptions): void {
  const refuse = (option: string, value: unknown, expected: string, remedy: string) => {
    throw new InvalidOptionError({ option, value, where: WHERE, expected, remedy });
  };
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    const remedy = 'Write port: 9090, or Number(process.env.HEALTH_PORT) where it comes from the environment.';
    refuse('health.port', port, 'an integer from 0 to 65535', remedy);
  }
  if (host === undefined) return;
  if (typeof host !== 'string' || !HOST.test(host)) {
    const remedy = "Write host: '127.0.0.1' for example, or leave it out to listen on all interfaces.";
    refuse('health.host', host, 'an IP address or a host name, without a port', remedy);
  }
  if (port === undefined) refuse('health.host', host, 'health.port beside it', 'Give the port too, or remove it.');
}

function assertIdentity(identity: unknown): void {
  if (identity === undefined || (typeof identity === 'string' && identity.trim() !== '')) return;
  throw new InvalidOptionError({
    option: 'identity',
    value: identity,
    where: WHERE,
    expected: 'a string that differs between replicas',
    remedy: 'Use the name of the pod or host with something random, or leave it out.',
  });
}

function assertObservers(observers: unknown): void {
  if (observers === undefined) return;
  const isObject = (it: unknown) => typeof it === 'object' && it !== null;
  if (Array.isArray(observers) && observers.every(isObject) && new Set(observers).size === observers.length) return;
  throw new InvalidOptionError({
    option: 'observers',
    value: observers,
    where: WHERE,
    expected: 'an array of observers, each an object, each once',
    remedy: 'Write observers: [new PrometheusMetrics()], an instance and not the class.',
  });
}

function assertLogFormat(format: unknown): void {
  if (format === undefined || format === 'text' || format === 'fields') return;
  throw new InvalidOptionError({
    option: 'logFormat',
    value: format,
    where: WHERE,
    expected: "'text' or 'fields'",
    remedy: "Write 'fields' for a logger that writes JSON, or leave it out.",
  });
}
