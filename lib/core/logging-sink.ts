import { errorFields } from './error-fields.js';
import { errorStack, errorText } from './error-text.js';
import { acquiredLine, healthLine, lostLine, observedLine, statusLine } from './event-lines.js';
import type { PausableEventSink } from './event-sink.js';
import type {
  ComponentStatusEvent,
  HealthChangedEvent,
  LeadershipAcquiredEvent,
  LeadershipLostEvent,
  LeadershipObservedEvent,
  LifecycleEventMap,
  LifecycleEventName,
} from './lifecycle-events.js';
import { guarded, type GuardedLogger, type LifecycleLogger } from './logger.js';

/**
 * Logs each event, one line a fact, then hands it on. The only place where events become log lines. A logger or a target
 * that throws or rejects keeps the other from nothing, and nobody who publishes ever hears of it.
 */
export class LoggingSink implements PausableEventSink {
  readonly #logger: GuardedLogger;

  constructor(
    private readonly target: Pick<PausableEventSink, 'publish'> & Partial<PausableEventSink>,
    logger: LifecycleLogger,
  ) {
    this.#logger = guarded(logger);
  }

  publish<K extends LifecycleEventName>(name: K, payload: LifecycleEventMap[K]): void {
    WRITERS[name](payload, this.#logger);
    // Thousands come in one burst at boot: nothing is made for an event that is read as it should be.
    try {
      const result: unknown = this.target.publish(name, payload);
      if (result !== undefined) Promise.resolve(result).catch((error: unknown) => this.#logThrown(name, error));
    } catch (error) {
      this.#logThrown(name, error);
    }
  }

  pause(): void {
    this.target.pause?.();
  }

  start(): void {
    this.target.start?.();
  }

  #logThrown(name: string, error: unknown): void {
    const message = `A reader of ${name} threw: ${errorText(error)}`;
    const line = { message, event: 'lifecycle.listener.failed', topic: name, error: errorFields(error) };
    this.#logger.error(line, errorStack(error));
  }
}

type Writers = { readonly [K in LifecycleEventName]: (event: LifecycleEventMap[K], logger: GuardedLogger) => void };

const WRITERS: Writers = {
  'lifecycle.component.status': writeStatus,
  'lifecycle.leadership.acquired': writeAcquired,
  'lifecycle.leadership.lost': writeLost,
  'lifecycle.leadership.observed': writeObserved,
  'lifecycle.health.changed': writeHealth,
};

function writeStatus(event: ComponentStatusEvent, logger: GuardedLogger): void {
  const level = statusLevel(event);
  if (!logger.isLevelEnabled(level)) return;
  const text = level === 'error' ? failureText(event) : statusText(event);
  const line = logger.wantsFields ? statusLine(text, event) : text;
  if (level === 'error') logger.error(line, errorStack(event.error));
  else logger[level](line);
}

function statusLevel({ from, to }: ComponentStatusEvent): 'debug' | 'log' | 'error' {
  if (to === 'failed') return 'error';
  const isOutcome =
    to === 'running' || to === 'standby' || (to === 'stopped' && (from === 'stopping' || from === 'running'));
  return isOutcome ? 'log' : 'debug';
}

function statusText({ name, from, to, election, durationMs }: ComponentStatusEvent): string {
  const took = `${Math.round(durationMs)} ms`;
  if (to === 'running') return `${name} is running (ready after ${took})`;
  if (to === 'standby') {
    const stopped = from === 'stopping' ? `stopped (took ${took}) and ` : '';
    return `${name} ${stopped}stands by (election "${election}")`;
  }
  if (to === 'stopped' && from === 'stopping') return `${name} stopped (took ${took})`;
  if (to === 'stopped' && from === 'running') return `${name} finished (ran for ${took})`;
  return `${name} is ${to}`;
}

function failureText({ name, error, restartInMs }: ComponentStatusEvent): string {
  const next = restartInMs === undefined ? 'it stays down' : `it starts again in ${Math.round(restartInMs)} ms`;
  return `${name} failed, ${next}: ${errorText(error)}`;
}

function writeAcquired(event: LeadershipAcquiredEvent, logger: GuardedLogger): void {
  if (!logger.isLevelEnabled('log')) return;
  const text = `Leading election "${event.election}" as ${event.identity}, term ${event.fencingToken}`;
  logger.log(logger.wantsFields ? acquiredLine(text, event) : text);
}

function writeLost(event: LeadershipLostEvent, logger: GuardedLogger): void {
  const level = event.voluntary ? 'log' : 'warn';
  if (!logger.isLevelEnabled(level)) return;
  const after = `after ${Math.round(event.durationMs)} ms`;
  const what = event.voluntary ? 'Handing over' : 'Lost';
  const text = `${what} election "${event.election}" ${after}, term ${event.fencingToken}: ${errorText(event.reason)}`;
  logger[level](logger.wantsFields ? lostLine(text, event) : text);
}

function writeObserved(event: LeadershipObservedEvent, logger: GuardedLogger): void {
  if (!logger.isLevelEnabled('log')) return;
  const text = `Election "${event.election}" is led by ${event.leader?.identity ?? 'nobody'}`;
  logger.log(logger.wantsFields ? observedLine(text, event) : text);
}

function writeHealth(event: HealthChangedEvent, logger: GuardedLogger): void {
  const level = event.healthy ? 'log' : 'warn';
  if (!logger.isLevelEnabled(level)) return;
  const text = event.healthy
    ? `${event.name} is healthy again`
    : `${event.name} is unhealthy: ${errorText(event.error)}`;
  logger[level](logger.wantsFields ? healthLine(text, event) : text);
}
