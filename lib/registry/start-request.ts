import { Deferred } from '../core/deferred.js';
import type { LeadershipTerm } from '../core/elector.js';
import type { LifecycleError } from '../core/errors.js';

/** What a component rests in once it has been stopped. */
export type RestStatus = 'stopped' | 'standby';

/**
 * How a request went first: the component got ready, failed, was told to end or finished, or waits for a dependency
 * that is not coming up.
 */
export type StartOutcome = 'ready' | 'failed' | 'ended' | 'blocked';

/**
 * "Be running": one request to a managed component, which it pursues over restarts until the request is taken back,
 * or the component has failed for good or has finished.
 */
export class StartRequest {
  readonly #outcome = new Deferred<StartOutcome>();
  /** Made for those who ask for the signal: most requests never need one, and it costs more than the rest of them. */
  #end: AbortController | undefined;
  readonly #over = new Deferred<void>();
  /** Resolved when the component does not pursue it any more, and nothing of its runs is left. */
  readonly settled = new Deferred<void>();
  /** Why the component did not stop cleanly after the request had been taken back. */
  stopError: LifecycleError | undefined;
  #isEnding = false;
  #isOver = false;

  constructor(readonly term: LeadershipTerm | undefined) {}

  /** Whether there is an outcome. */
  get isDecided(): boolean {
    return this.#outcome.isSettled;
  }

  /** Resolves with the first outcome, which a starter waits for: at the latest when the request is taken back. */
  get outcome(): Promise<StartOutcome> {
    return this.#outcome.promise;
  }

  /** Aborted as soon as the request is taken back. */
  get signal(): AbortSignal {
    this.#end ??= new AbortController();
    if (this.#isEnding) this.#end.abort();
    return this.#end.signal;
  }

  /** Resolves when the component has settled under it; rejects, before that, when it has failed for good. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  get ending(): boolean {
    return this.#isEnding;
  }

  /** Whether the component is still pursuing it. */
  get active(): boolean {
    return !this.ending && !this.#isOver;
  }

  /** Whether a run may begin now. To ask a term that is past its deadline ends it, and with it the request. */
  get mayRun(): boolean {
    return this.term?.isValid() !== false && !this.ending;
  }

  report(outcome: StartOutcome): void {
    this.#outcome.resolve(outcome);
  }

  /** Takes it back: no run begins for it any more. */
  end(): void {
    this.#isEnding = true;
    this.#end?.abort();
    this.report('ended');
  }

  failForGood(error: unknown): void {
    this.report('failed');
    this.#over.reject(error);
  }

  finish(): void {
    this.#isOver = true;
    this.report('ended');
    this.#over.resolve();
    this.settled.resolve();
  }
}
