import type { GuardedLogger } from '../core/logger.js';
import type { EventEmitter2 } from '@nestjs/event-emitter';
import { errorFields } from '../core/error-fields.js';
import { errorStack, errorText } from '../core/error-text.js';

type Listener = (this: EventEmitter2, ...args: unknown[]) => unknown;

/** What an EventEmitter2 has and its typings leave out. */
interface EmitterState {
  readonly wildcard?: boolean;
  readonly delimiter?: string;
  event: string;
}

/**
 * Serves the listeners of one EventEmitter2, each on its own: `emit()` would skip those behind one that throws, and
 * lose the promise of one that rejects to `unhandledRejection`. So the listeners are looked up and called from here, in
 * the order and with the arguments and `this` that `emit()` gives them. What follows from that:
 *
 * - `once`, `many`, `onAny`, wildcards and listeners that are added or removed meanwhile work as with `emit()`.
 * - `'error'` is an event like any other: without a listener nothing is thrown, whatever `ignoreErrors` says.
 * - Names are cut at `.`, also on a wildcard emitter with another delimiter: with `:`, both `lifecycle.health.changed`
 *   and `lifecycle:**` are served.
 * - Code that replaced `emitter.emit` does not see these events; `onAny` does.
 * - A listener with `async` or `nextTick` that is not promisified runs later, out of reach: what a plain one throws is
 *   an uncaught exception, as with `emit()`. An `@OnEvent` handler is caught by Nest, unless `suppressErrors` is false.
 */
export class EmitterOutlet {
  constructor(
    readonly emitter: EventEmitter2,
    private readonly logger: GuardedLogger,
  ) {}

  /** Whether there may be a listener. To look for those of a wildcard emitter takes as long as to call them. Never throws. */
  mayBeHeard(name: string): boolean {
    try {
      const { wildcard } = this.emitter as unknown as EmitterState;
      return this.#isStub || wildcard === true || this.emitter.hasListeners?.(name) !== false;
    } catch {
      return true;
    }
  }

  /** In users' tests the emitter is often a stub with nothing but an `emit`. */
  get #isStub(): boolean {
    return typeof this.emitter.listenersAny !== 'function';
  }

  /** Calls every listener of `name` synchronously. Never throws. */
  emit(name: string, payload: unknown): void {
    try {
      if (this.#isStub) return void this.emitter.emit(name, payload);
      // What is held back was published when there may have been others; to look for listeners would leave traces of the name.
      if (!this.mayBeHeard(name)) return;
      const any = this.emitter.listenersAny();
      // The emitter's own arrays change when a listener is added or removed.
      if (any.length > 0) for (const listener of any.slice()) this.#call(listener, name, [name, payload]);
      const named = this.#listeners(name);
      if (named.length > 0) for (const listener of named.slice()) this.#call(listener, name, [payload]);
    } catch (error) {
      this.#report(name, error);
    }
  }

  #listeners(name: string): readonly Listener[] {
    const { wildcard, delimiter } = this.emitter as unknown as EmitterState;
    const exact = this.emitter.listeners(name);
    if (!wildcard || delimiter === '.' || !name.includes('.')) return exact;
    const segmented = this.emitter.listeners(name.split('.'));
    return [...exact, ...segmented.filter((listener) => !exact.includes(listener))];
  }

  #call(listener: Listener, name: string, args: unknown[]): void {
    try {
      // Where wildcard listeners find out what has happened.
      (this.emitter as unknown as EmitterState).event = name;
      const result = listener.apply(this.emitter, args);
      if (isThenable(result)) Promise.resolve(result).catch((error: unknown) => this.#report(name, error));
    } catch (error) {
      this.#report(name, error);
    }
  }

  #report(name: string, error: unknown): void {
    const message = `A listener of "${name}" failed, which changes nothing: ${errorText(error)}`;
    const line = { message, event: 'lifecycle.listener.failed', topic: name, error: errorFields(error) };
    this.logger.error(line, errorStack(error));
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as Partial<PromiseLike<unknown>>).then === 'function'
  );
}
