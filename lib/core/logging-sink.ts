import { errorStack, errorText } from './error-text.js';
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
import { guarded, type LifecycleLogger } from './logger.js';
import { callObserver } from './observer-call.js';

/**
 * Logs each event, one line a fact, then hands it on. The only place where events become log lines. A logger or a target
 * that throws or rejects keeps the other from nothing, and nobody who publishes ever hears of it.
 */
export class LoggingSink implements PausableEventSink {
  readonly #logger: LifecycleLogger;

  constructor(
    private readonly target: Pick<PausableEventSink, 'publish'> & Partial<PausableEventSink>,
    logger: LifecycleLogger,
  ) {
    this.#logger = guarded(logger);
  }

  publish<K extends LifecycleEventName>(name: K, payload: LifecycleEventMap[K]): void {
    const logThrown = (error: unknown) =>
      this.#logger.error(`A reader of ${name} threw: ${errorText(error)}`, errorStack(error));
    WRITERS[name](payload, this.#logger);
    callObserver(() => this.target.publish(name, payload), logThrown);
  }

  pause(): void {
    this.target.pause?.();
  }

  start(): void {
    this.target.start?.();
  }
}

type Writers = { readonly [K in LifecycleEventName]: (event: LifecycleEventMap[K], logger: LifecycleLogger) => void };

const WRITERS: Writers = {
  'lifecycle.component.status': writeStatus,
  'lifecycle.leadership.acquired': writeAcquired,
  'lifecycle.leadership.lost': writeLost,
  'lifecycle.leadership.observed': writeObserved,
  'lifecycle.health.changed': writeHealth,
};

function writeStatus(event: ComponentStatusEvent, logger: LifecycleLogger): void {
  const { name, to, from } = event;
  const took = () => `${Math.round(event.durationMs)} ms`;
  if (to === 'failed') {
    const next =
      event.restartInMs === undefined ? 'it stays down' : `it starts again in ${Math.round(event.restartInMs)} ms`;
    logger.error(`${name} failed, ${next}: ${errorText(event.error)}`, errorStack(event.error));
  } else if (to === 'running') {
    logger.log(`${name} is running (ready after ${took()})`);
  } else if (to === 'standby') {
    const stopped = from === 'stopping' ? `stopped (took ${took()}) and ` : '';
    logger.log(`${name} ${stopped}stands by (election "${event.election}")`);
  } else if (to === 'stopped' && from === 'stopping') {
    logger.log(`${name} stopped (took ${took()})`);
  } else if (to === 'stopped' && from === 'running') {
    logger.log(`${name} finished (ran for ${took()})`);
  } else {
    logger.debug?.(`${name} is ${to}`);
  }
}

function writeAcquired(event: LeadershipAcquiredEvent, logger: LifecycleLogger): void {
  logger.log(`Leading election "${event.election}" as ${event.identity}, term ${event.fencingToken}`);
}

function writeLost(event: LeadershipLostEvent, logger: LifecycleLogger): void {
  const after = `after ${Math.round(event.durationMs)} ms`;
  const text = `election "${event.election}" ${after}, term ${event.fencingToken}: ${errorText(event.reason)}`;
  if (event.voluntary) logger.log(`Handing over ${text}`);
  else logger.warn(`Lost ${text}`);
}

function writeObserved(event: LeadershipObservedEvent, logger: LifecycleLogger): void {
  logger.log(`Election "${event.election}" is led by ${event.leader?.identity ?? 'nobody'}`);
}

function writeHealth(event: HealthChangedEvent, logger: LifecycleLogger): void {
  if (event.healthy) logger.log(`${event.name} is healthy again`);
  else logger.warn(`${event.name} is unhealthy: ${errorText(event.error)}`);
}
