import { isPromise } from 'node:util/types';
import { Deferred } from '../core/deferred.js';
import { currentRunContext, runWithin, type RunContext } from '../core/run-context.js';

/** Calls that are made under one term, which is over only when they have settled. */
export class TermCalls {
  /** By name, how many are under way. */
  readonly #counts = new Map<string, { pending: number }>();
  #pending = 0;
  #settled: Deferred<void> | undefined;

  constructor(private readonly context: RunContext) {}

  /** Names of the calls that are under way, each once. */
  get pending(): string[] {
    return [...this.#counts].filter(([, { pending }]) => pending > 0).map(([name]) => name);
  }

  /**
   * Makes a call that sees the term as the current one. What it throws or returns is the caller's, unchanged, except that
   * a thenable is returned as a promise: some, such as queries, begin their work only when they are awaited.
   */
  run<T>(name: string, call: () => T): T {
    const context = this.#contextHere();
    const result: unknown = runWithin(context, call);
    if (isPromise(result)) return this.#track(name, result) as T;
    if (!isThenable(result)) return result as T;
    return this.#track(
      name,
      runWithin(context, () => Promise.resolve(result)),
    ) as T;
  }

  /** Resolves when none is under way. To be asked once no more can begin. */
  whenSettled(): Promise<void> {
    if (this.#pending === 0) return Promise.resolve();
    return (this.#settled ??= new Deferred<void>()).promise;
  }

  /** Work of one election may call that of another. */
  #contextHere(): RunContext {
    const outer = currentRunContext();
    const election = outer?.term?.election;
    if (outer === undefined || election === undefined || election === this.context.term?.election) return this.context;
    return { ...this.context, outer };
  }

  /** The promise that is returned is the only one that can be left unhandled, as without this. */
  async #track(name: string, promise: Promise<unknown>): Promise<unknown> {
    const count = this.#countOf(name);
    this.#pending++;
    count.pending++;
    try {
      return await promise;
    } finally {
      count.pending--;
      if (--this.#pending === 0) this.#settled?.resolve();
    }
  }

  #countOf(name: string): { pending: number } {
    let count = this.#counts.get(name);
    if (count === undefined) this.#counts.set(name, (count = { pending: 0 }));
    return count;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
