import { setMaxListeners } from 'node:events';

/** How deep a chain of causes is followed: a hostile cycle of causes must not hang a stop. */
const MAX_CAUSES = 16;

/** Whether `matches` holds for what was thrown or for one of its causes. Anything can be thrown; never throws itself. */
export function someCause(error: unknown, matches: (error: unknown) => boolean): boolean {
  try {
    let current = error;
    for (let depth = 0; depth < MAX_CAUSES; depth++) {
      if (matches(current)) return true;
      if (typeof current !== 'object' || current === null) return false;
      current = (current as { cause?: unknown }).cause;
    }
  } catch {
    // A getter or a proxy that throws says nothing.
  }
  return false;
}

/** Whether an error, or one of its causes, says "I was aborted". */
export function isAbortError(error: unknown): boolean {
  return someCause(error, (it) => {
    if (typeof it !== 'object' || it === null) return false;
    const { name, code } = it as { name?: unknown; code?: unknown };
    return name === 'AbortError' || code === 'ABORT_ERR';
  });
}

/** Whether an error is how code reacts to the abort of one of these signals: `AbortError`, or the signal's own reason. */
export function isAbortOf(error: unknown, ...signals: readonly (AbortSignal | undefined)[]): boolean {
  const aborted = signals.filter((signal) => signal?.aborted);
  if (aborted.length === 0) return false;
  return isAbortError(error) || someCause(error, (it) => aborted.some((signal) => signal?.reason === it));
}

/** Calls `listener` once when the signal aborts, at once if it already has. Returns a function that stops listening. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/**
 * Resolves when the signal aborts, at once if it already has: what a run-style component waits for once everything it
 * does is set up.
 *
 * @publicApi
 */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, resolve));
}

/**
 * The answer, or the signal's reason as soon as it aborts: an answer that comes later is dropped.
 *
 * @param onAborted takes back what has not been sent yet
 */
export function untilAbort<T>(answer: Promise<T>, signal: AbortSignal, onAborted?: () => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const unlisten = onAbort(signal, () => {
      reject(signal.reason);
      onAborted?.();
    });
    answer.finally(unlisten).then(resolve, reject);
  });
}

/** A controller whose signal may have any number of listeners: Node warns of a leak from the eleventh on. */
export function sharedAbortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(Number.POSITIVE_INFINITY, controller.signal);
  return controller;
}
