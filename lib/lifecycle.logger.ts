import { ConsoleLogger, Logger } from '@nestjs/common';
import { GuardedLogger, type LifecycleLogger, type LogLevel } from './core/logger.js';
import type { ResolvedLifecycleOptions } from './lifecycle.options.js';

/** The logger of an app: the one given or Nest's, which gets fields if that was asked for or if it prints JSON. */
export function loggerOf({ logger, logFormat }: ResolvedLifecycleOptions): GuardedLogger {
  const target = logger ?? nestLogger();
  return new GuardedLogger(target, () => (logFormat === undefined ? printsJson(target) : logFormat === 'fields'));
}

function nestLogger(): LifecycleLogger {
  return Object.assign(new Logger('Lifecycle'), { isLevelEnabled });
}

/** What Nest's `Logger` keeps for itself: the logger that `useLogger()` has set last, and the levels that were. */
interface LoggerState {
  readonly staticInstanceRef?: unknown;
  readonly logLevels?: readonly LogLevel[];
}

/** `Logger.isLevelEnabled()` of Nest 11 says no to every level as long as none has been named. */
function isLevelEnabled(level: LogLevel): boolean {
  const { staticInstanceRef, logLevels } = Logger as unknown as LoggerState;
  if (staticInstanceRef === undefined) return false;
  if (staticInstanceRef instanceof ConsoleLogger) return staticInstanceRef.isLevelEnabled(level);
  return logLevels === undefined || Logger.isLevelEnabled(level);
}

function printsJson(logger: unknown): boolean {
  const target = logger instanceof Logger ? (Logger as unknown as LoggerState).staticInstanceRef : logger;
  if (!(target instanceof ConsoleLogger)) return false;
  return (target as unknown as { readonly options?: { readonly json?: boolean } }).options?.json === true;
}
