import type { EventEmitter2 } from '@nestjs/event-emitter';
import { systemClock, type Clock } from '../core/clock.js';
import { silentLogger, type LifecycleLogger } from '../core/logger.js';
import { assertCount } from '../core/option-checks.js';

/** Options of an `EventBus` of your own; that of an app takes them from the module. @publicApi */
export interface EventBusOptions {
  /** Told about failing listeners and dropped events. @default a silent one */
  readonly logger?: LifecycleLogger;
  /** Served from the beginning, as by `attach()`. @default none */
  readonly emitter?: EventEmitter2;
  /** Unread events that a subscription keeps, when `subscribe()` names no number. @default 1024 */
  readonly bufferSize?: number;
  /** Events that a pause holds back; acquired and lost come on top, and are never dropped. @default 65536 */
  readonly pauseBufferSize?: number;
  /** @default systemClock */
  readonly clock?: Clock;
}

const DEFAULTS = {
  logger: silentLogger,
  bufferSize: 1024,
  // One promotion of 10,000 leader-only components is 20,000 transitions under one pause.
  pauseBufferSize: 65_536,
  clock: systemClock,
};

/** @throws InvalidOptionError */
export function resolveEventBusOptions(options: EventBusOptions): EventBusOptions & typeof DEFAULTS {
  assertCount('bufferSize', options.bufferSize, 1, 'EventBus');
  assertCount('pauseBufferSize', options.pauseBufferSize, 1, 'EventBus');
  const { emitter, logger = DEFAULTS.logger, clock = DEFAULTS.clock } = options;
  const { bufferSize = DEFAULTS.bufferSize, pauseBufferSize = DEFAULTS.pauseBufferSize } = options;
  return { logger, clock, bufferSize, pauseBufferSize, ...(emitter && { emitter }) };
}
