import type { Elector } from './core/elector.js';
import { isElector } from './core/elector-check.js';
import { InvalidOptionError } from './core/errors.js';
import { EventFanout } from './core/event-fanout.js';
import type { GuardedLogger } from './core/logger.js';
import type { HealthCheckReport, LifecycleObserver, ObservedApp, ObservedElection } from './core/lifecycle-observer.js';
import { LoggingSink } from './core/logging-sink.js';
import { Observers } from './core/observers.js';
import { Doctor } from './doctor/doctor.js';
import { EventBus } from './events/event-bus.js';
import { HealthMonitor } from './health/health-monitor.js';
import type { LeaderOnlyCalls } from './leader-only/leader-only-calls.js';
import type { ElectionSnapshot } from './leadership/election-snapshot.js';
import { Leadership } from './leadership/leadership.js';
import { loggerOf } from './lifecycle.logger.js';
import type { ResolvedLifecycleOptions } from './lifecycle.options.js';
import { Registry } from './registry/registry.js';
import { StatusPage } from './status-page/status-page.js';
import { WatchedElector } from './watchdog/watched-elector.js';

export const LIFECYCLE_PARTS = Symbol('nestjs-lifecycle:parts');

/** The parts that the main flow moves. */
export interface LifecycleParts {
  readonly options: ResolvedLifecycleOptions;
  readonly logger: GuardedLogger;
  readonly elector: Elector;
  readonly events: EventFanout;
  readonly bus: EventBus;
  readonly registry: Registry;
  readonly leadership: Leadership;
  readonly leaderOnly: LeaderOnlyCalls;
  readonly health: HealthMonitor;
  readonly observers: Observers;
  readonly statusPage: StatusPage | undefined;
}

/** Wires the parts by hand: none of them knows Nest. */
export function assemble(
  options: ResolvedLifecycleOptions,
  given: Elector,
  leaderOnly: LeaderOnlyCalls,
): LifecycleParts {
  assertUsable(given);
  const logger = loggerOf(options);
  const elector = options.watchdog ? new WatchedElector(given, logger) : given;
  const { clock, random, identity } = options;
  const bus = new EventBus({ logger, clock, ...options.events });
  const events = new EventFanout(bus);
  const registry = new Registry({ ...options.registry, events, clock, random }).withLogger(logger);
  const sink = new LoggingSink(events, logger);
  const { stopTimeoutMs } = options.registry;
  const settings = { clock, logger, identity, random, stopTimeoutMs };
  // What it shows and moves is made after it, since those tell the observers, of whom it is one.
  const statusPage = options.statusPage && new StatusPage(options.statusPage, { clock, logger });
  const observers = new Observers(watching(options, elector, statusPage), logger, clock);
  if (observers.hears('onEvent')) events.tap((name, payload) => observers.onEvent(name, payload));
  const leadership = new Leadership({ elector, registry, events: sink, observers, ...settings });
  leaderOnly.connect(leadership, logger);
  statusPage?.connect({ registry, leadership });
  const { intervalMs, timeoutMs, errorDetails } = options.health;
  const onCheck = observers.hears('onHealthCheck') && ((check: HealthCheckReport) => observers.onHealthCheck(check));
  const limits = { intervalMs, timeoutMs, errorDetails };
  const health = new HealthMonitor({ registry, leadership, clock, ...limits, ...(onCheck && { onCheck }) });
  return { options, logger, elector, events, bus, registry, leadership, leaderOnly, health, observers, statusPage };
}

/** What the observers of an app may ask. */
export function observedApp(parts: LifecycleParts): ObservedApp {
  const { options, logger, bus, registry, leadership, leaderOnly, health } = parts;
  return {
    identity: options.identity,
    clock: options.clock,
    logger,
    components: () => registry.snapshot().map((it) => it.info),
    elections: () => leadership.elections().map((it) => withDeadline(it, leadership)),
    probes: () => ({ live: health.live(), ready: health.ready(), startup: health.startup() }),
    leaderOnlyCalls: () => leaderOnly.counts(),
    eventBus: () => ({ depth: bus.depth, dropped: bus.dropped, subscriptions: bus.subscriptions }),
  };
}

function withDeadline(snapshot: ElectionSnapshot, leadership: Leadership): ObservedElection {
  const remainingMs = leadership.term(snapshot.election)?.remainingMs;
  return remainingMs === undefined ? snapshot : { ...snapshot, remainingMs };
}

/** The library's own come around those of the app: the doctor first, the history of the page last. */
function watching(
  { doctor, drainDelayMs, registry, health, observers }: ResolvedLifecycleOptions,
  elector: Elector,
  statusPage: StatusPage | undefined,
): LifecycleObserver[] {
  const { stopTimeoutMs, shutdownTimeoutMs } = registry;
  const settings = { drainDelayMs, stopTimeoutMs, shutdownTimeoutMs, health, env: process.env };
  return [
    ...(doctor ? [new Doctor(elector, settings)] : []),
    ...observers,
    ...(statusPage ? [statusPage.observer] : []),
  ];
}

function assertUsable(elector: unknown): void {
  if (isElector(elector)) return;
  throw new InvalidOptionError({
    option: 'elector',
    value: elector,
    where: 'LifecycleModule',
    expected: 'an object with a campaign() method',
    remedy: 'Let the class or factory give a real elector.',
  });
}
