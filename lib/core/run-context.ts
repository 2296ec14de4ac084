import { AsyncLocalStorage } from 'node:async_hooks';
import { onAbort } from './abort.js';
import type { LeadershipTerm } from './elector.js';

/** The run that code belongs to: what is called from the start of a leader-only component, or from a health check. */
export interface RunContext {
  /** The registry's monotonic clock at the moment the run began, in milliseconds. */
  readonly startedAt: number;
  readonly term?: LeadershipTerm;
  /** The run that called it, where that belongs to another election. */
  readonly outer?: RunContext;
}

/**
 * Before Node 24 a storage in use slows down everything asynchronous in the process; an HTTP request by some 10 %. So
 * it is in use only where there is something to see: from the first term on, and while health checks are under way.
 */
const storage = new AsyncLocalStorage<RunContext | undefined>();
let hadTerm = false;
const checksUnderWay = new Set<AbortSignal>();

/**
 * Calls `fn` so that it, and all that it starts asynchronously, sees `context` if that has a term. Without one it
 * belongs to no run: there is nothing to ask for.
 */
export function runWithin<T>(context: RunContext, fn: () => T): T {
  if (context.term === undefined) return outsideOfRuns(fn);
  hadTerm = true;
  return storage.run(context, fn);
}

/** Calls a health check so that it sees `context`, with or without a term, at least until it has settled or `signal` aborts. */
export async function checkWithin<T>(
  context: RunContext,
  signal: AbortSignal,
  check: () => Promise<T> | T,
): Promise<T> {
  checksUnderWay.add(signal);
  const stopListening = onAbort(signal, () => checkIsOver(signal));
  try {
    return await storage.run(context, check);
  } finally {
    stopListening();
    checkIsOver(signal);
  }
}

/** Calls `fn` so that it, and all that it starts asynchronously, belongs to no run: for what outlives the caller's run. */
export function outsideOfRuns<T>(fn: () => T): T {
  return storage.getStore() === undefined ? fn() : storage.run(undefined, fn);
}

export function currentRunContext(): RunContext | undefined {
  return storage.getStore();
}

/** Whether the calling code is part of an election's work, directly or through work of another one. */
export function runsUnder(election: string): boolean {
  let context = currentRunContext();
  while (context !== undefined && context.term?.election !== election) context = context.outer;
  return context !== undefined;
}

function checkIsOver(signal: AbortSignal): void {
  checksUnderWay.delete(signal);
  if (checksUnderWay.size === 0 && !hadTerm) storage.disable();
}
