import { indentedStack, oneLine, type LogLine } from './log-line.js';
import { callObserver } from './observer-call.js';

/** From the least to the most urgent. @publicApi */
export type LogLevel = 'debug' | 'log' | 'warn' | 'error';

/**
 * What the library logs through. Nest's `LoggerService` and `console` satisfy it. A message is a text, unless `logFormat`
 * is `'fields'`: then it is a `LogLine`.
 *
 * @publicApi
 */
export interface LifecycleLogger {
  log(message: string | LogLine): void;
  warn(message: string | LogLine): void;
  error(message: string | LogLine, stack?: string): void;
  debug?(message: string | LogLine): void;
  /** Whether lines of a level go anywhere; those that do not are not even composed. @default all do */
  isLevelEnabled?(level: LogLevel): boolean;
}

export const silentLogger: LifecycleLogger = {
  log: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  isLevelEnabled: () => false,
};

/** The same logger, except that it never throws or rejects: a log line must not change what happens. Gets text by default. */
export function guarded(logger: LifecycleLogger): GuardedLogger {
  return logger instanceof GuardedLogger ? logger : new GuardedLogger(logger);
}

/** Guards another logger, and gives it each line in the form that it wants. */
export class GuardedLogger implements Required<LifecycleLogger> {
  /** @param prefersFields asked at each line: an app may set its logger late */
  constructor(
    private readonly logger: LifecycleLogger,
    private readonly prefersFields: () => boolean = () => false,
  ) {}

  /** Whether to compose fields, and not a text. */
  get wantsFields(): boolean {
    try {
      return this.prefersFields();
    } catch {
      return false;
    }
  }

  log(message: string | LogLine): void {
    callObserver(() => this.logger.log(this.#formed(message)), drop);
  }

  warn(message: string | LogLine): void {
    callObserver(() => this.logger.warn(this.#formed(message)), drop);
  }

  error(message: string | LogLine, stack?: string): void {
    const formed = this.#formed(message);
    // A logger that writes fields has its own way to write what has lines.
    const text = stack === undefined || typeof formed !== 'string' ? stack : indentedStack(stack);
    callObserver(() => this.logger.error(formed, text), drop);
  }

  debug(message: string | LogLine): void {
    callObserver(() => this.logger.debug?.(this.#formed(message)), drop);
  }

  isLevelEnabled(level: LogLevel): boolean {
    try {
      return this.logger.isLevelEnabled?.(level) !== false;
    } catch {
      return true;
    }
  }

  #formed(line: string | LogLine): string | LogLine {
    const given = typeof line === 'string' ? line : line.message;
    const message = oneLine(given);
    if (!this.wantsFields) return message;
    if (typeof line === 'string') return { message, event: 'lifecycle.message' };
    return message === given ? line : { ...line, message };
  }
}

/** There is nowhere left to report it to. */
function drop(): void {}
