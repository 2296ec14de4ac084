import type { Clock } from './clock.js';
import { guarded, type LifecycleLogger } from './logger.js';

/** The signals by which process managers ask a process to stop. */
const SHUTDOWN_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Marks listeners of this library, also those of another copy of it: they handle nothing. */
const LISTENS_ALONG = Symbol.for('nestjs-lifecycle:listens-along');

/** `createApplicationContext()` gives its caller no chance to enable shutdown hooks before the boot is over. */
const WARN_AFTER_MS = 1000;

/** Whether anybody turns a signal into an orderly stop. */
function isHandled(signal: NodeJS.Signals): boolean {
  return process.listeners(signal).some((listener) => !(LISTENS_ALONG in listener));
}

/**
 * Calls `onSignal` when a shutdown signal arrives that somebody else handles, as Nest does when shutdown hooks are
 * enabled: it only listens along. Where it is alone on a signal, which happens when the other one has left meanwhile,
 * it steps aside and lets the signal do what it does by default.
 *
 * @returns a function that stops listening; idempotent
 */
export function listenAlongToShutdown(onSignal: () => void): () => void {
  const listened = SHUTDOWN_SIGNALS.filter((signal) => isHandled(signal));
  const react = (signal: NodeJS.Signals) => {
    if (isHandled(signal)) {
      onSignal();
      return;
    }
    stop();
    process.kill(process.pid, signal);
  };
  const listener = Object.assign(react, { [LISTENS_ALONG]: true });
  const stop = () => listened.forEach((signal) => process.removeListener(signal, listener));
  // Ahead of the others: one that was added by `once()` is gone as soon as it is called, and would not be seen.
  listened.forEach((signal) => process.prependListener(signal, listener));
  return stop;
}

/** Warns once if nobody handles SIGTERM soon. @returns a function that cancels that; idempotent */
export function warnUnlessShutdownIsHandled(logger: LifecycleLogger, clock: Clock): () => void {
  const check = () => {
    if (isHandled('SIGTERM')) return;
    guarded(logger).warn({
      message:
        'Nothing listens to SIGTERM, so components are killed rather than stopped, and leadership is not handed over. ' +
        'Call app.enableShutdownHooks().',
      event: 'lifecycle.shutdown.unhandled',
    });
  };
  return clock.setTimer(check, WARN_AFTER_MS, { background: true });
}
