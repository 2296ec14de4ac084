import { callObserver } from './observer-call.js';

/**
 * What the library logs through. Nest's `LoggerService` and `console` satisfy it.
 *
 * @publicApi
 */
export interface LifecycleLogger {
  log(message: string): void;
  warn(message: string): void;
  error(message: string, stack?: string): void;
  debug?(message: string): void;
}

export const silentLogger: LifecycleLogger = {
  log: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** The same logger, except that it never throws or rejects: a log line must not change what happens. */
export function guarded(logger: LifecycleLogger): LifecycleLogger {
  // There is nowhere left to report it to.
  const attempt = (log: () => unknown) => callObserver(log, () => undefined);
  return {
    log: (message) => attempt(() => logger.log(message)),
    warn: (message) => attempt(() => logger.warn(message)),
    error: (message, stack) => attempt(() => logger.error(message, stack)),
    debug: (message) => attempt(() => logger.debug?.(message)),
  };
}
