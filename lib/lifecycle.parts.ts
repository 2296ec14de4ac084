import { Logger } from '@nestjs/common';
import type { Elector } from './core/elector.js';
import { isElector } from './core/elector-check.js';
import { InvalidOptionError } from './core/errors.js';
import { EventFanout } from './core/event-fanout.js';
import { guarded, type LifecycleLogger, type LogLevel } from './core/logger.js';
import { LoggingSink } from './core/logging-sink.js';
import { EventBus } from './events/event-bus.js';
import { HealthMonitor } from './health/health-monitor.js';
import type { LeaderOnlyCalls } from './leader-only/leader-only-calls.js';
import { Leadership } from './leadership/leadership.js';
import type { ResolvedLifecycleOptions } from './lifecycle.options.js';
import { Registry } from './registry/registry.js';
import { WatchedElector } from './watchdog/watched-elector.js';

export const LIFECYCLE_PARTS = Symbol('nestjs-lifecycle:parts');

/** The parts that the main flow moves. */
export interface LifecycleParts {
  readonly options: ResolvedLifecycleOptions;
  readonly logger: LifecycleLogger;
  readonly elector: Elector;
  readonly events: EventFanout;
  readonly bus: EventBus;
  readonly registry: Registry;
  readonly leadership: Leadership;
  readonly leaderOnly: LeaderOnlyCalls;
  readonly health: HealthMonitor;
}

/** Wires the parts by hand: none of them knows Nest. */
export function assemble(
  options: ResolvedLifecycleOptions,
  given: Elector,
  leaderOnly: LeaderOnlyCalls,
): LifecycleParts {
  assertUsable(given);
  const logger = guarded(options.logger ?? nestLogger());
  const elector = options.watchdog ? new WatchedElector(given, logger) : given;
  const { clock, random, identity } = options;
  const bus = new EventBus({ logger, clock, ...options.events });
  const events = new EventFanout(bus);
  const registry = new Registry({ ...options.registry, events, clock, random }).withLogger(logger);
  const sink = new LoggingSink(events, logger);
  const { stopTimeoutMs } = options.registry;
  const settings = { clock, logger, identity, random, stopTimeoutMs };
  const leadership = new Leadership({ elector, registry, events: sink, ...settings });
  leaderOnly.connect(leadership, logger);
  const { intervalMs, timeoutMs } = options.health;
  const health = new HealthMonitor({ registry, leadership, clock, intervalMs, timeoutMs });
  return { options, logger, elector, events, bus, registry, leadership, leaderOnly, health };
}

function nestLogger(): LifecycleLogger {
  const isLevelEnabled = (level: LogLevel) => Logger.isLevelEnabled(level);
  return Object.assign(new Logger('Lifecycle'), { isLevelEnabled });
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
