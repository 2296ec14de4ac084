import { callObserver } from './observer-call.js';

/** From the least to the most urgent. @publicApi */
export type LogLevel = 'debug' | 'log' | 'warn' | 'error';

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
  /** Whether lines of a level go anywhere; those that do not are not even composed. @default all do */
  isLevelEnabled?(level: LogLevel): boolean;
}

export const silentLogger: LifecycleLogger = {
  log: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  isLevelEnabled: () => false,
};

/** The same logger, except that it never throws or rejects: a log line must not change what happens. */
export function guarded(logger: LifecycleLogger): GuardedLogger {
  return logger instanceof GuardedLogger ? logger : new GuardedLogger(logger);
}

/** Guards another logger. */
export class GuardedLogger implements Required<LifecycleLogger> {
  constructor(private readonly logger: LifecycleLogger) {}

  log(message: string): void {
    callObserver(() => this.logger.log(message), drop);
  }

  warn(message: string): void {
    callObserver(() => this.logger.warn(message), drop);
  }

  error(message: string, stack?: string): void {
    callObserver(() => this.logger.error(message, stack), drop);
  }

  debug(message: string): void {
    callObserver(() => this.logger.debug?.(message), drop);
  }

  isLevelEnabled(level: LogLevel): boolean {
    try {
      return this.logger.isLevelEnabled?.(level) !== false;
    } catch {
      return true;
    }
  }
}

/** There is nowhere left to report it to. */
function drop(): void {}
