import { settlesWithin, type Clock } from './clock.js';
import type { ElectorReport } from './elector.js';
import { errorFields } from './error-fields.js';
import { errorText } from './error-text.js';
import type { LifecycleEventMap, LifecycleEventName } from './lifecycle-events.js';
import type {
  AppPhase,
  HealthCheckReport,
  LifecycleObserver,
  ObservedApp,
  ObservedEvent,
  TermProgress,
} from './lifecycle-observer.js';
import type { LifecycleLogger } from './logger.js';
import { callObserver } from './observer-call.js';
import { RateLimitedLog } from './rate-limited-log.js';

/** An observer that flushes to a server that does not answer must not keep the app. */
const DETACH_LIMIT_MS = 1000;

/** Tells all observers of an app, in the order of the option. None of them can keep the app, or another one, from anything. */
export class Observers {
  readonly #log: RateLimitedLog;
  #attached = false;

  constructor(
    private readonly observers: readonly LifecycleObserver[],
    logger: LifecycleLogger,
    private readonly clock: Clock,
  ) {
    this.#log = new RateLimitedLog(logger, clock);
  }

  get any(): boolean {
    return this.observers.length > 0;
  }

  /** Whether anybody wants to be told: what comes by the thousand at boot is not even handed on to nobody. */
  hears(what: keyof LifecycleObserver): boolean {
    return this.observers.some((it) => it[what] !== undefined);
  }

  attach(app: ObservedApp): void {
    this.#each('attach', (it) => it.attach?.(app));
    this.#attached = true;
  }

  /** Whether they know their app. */
  get attached(): boolean {
    return this.#attached;
  }

  onEvent<K extends LifecycleEventName>(name: K, payload: LifecycleEventMap[K]): void {
    const event = { name, payload } as unknown as ObservedEvent;
    this.#each('onEvent', (it) => it.onEvent?.(event));
  }

  onElectorReport(election: string, report: ElectorReport): void {
    this.#each('onElectorReport', (it) => it.onElectorReport?.(election, report));
  }

  onTermProgress(progress: TermProgress): void {
    this.#each('onTermProgress', (it) => it.onTermProgress?.(progress));
  }

  onHealthCheck(check: HealthCheckReport): void {
    this.#each('onHealthCheck', (it) => it.onHealthCheck?.(check));
  }

  /** Does the work, and tells of its begin and end. Settles as the work does. */
  during(phase: AppPhase['phase'], work: () => Promise<void>): Promise<void> {
    return this.any ? this.#observe(phase, work) : work();
  }

  /** Never rejects. */
  async detach(): Promise<void> {
    const detached = this.observers.map(async (it) => {
      try {
        await it.detach?.();
      } catch (error) {
        this.#complain(it, 'detach', error);
      }
    });
    if (!this.any || (await settlesWithin(this.clock, Promise.all(detached), DETACH_LIMIT_MS))) return;
    const message = `An observer has not detached within ${DETACH_LIMIT_MS} ms. It is not waited for any longer.`;
    this.#log.warn({ message, event: 'lifecycle.observer.late' });
  }

  async #observe(phase: AppPhase['phase'], work: () => Promise<void>): Promise<void> {
    const startedAt = this.clock.now();
    const tell = (rest: Omit<AppPhase, 'phase' | 'at'>) => {
      const report: AppPhase = { phase, at: this.clock.wallNow(), ...rest };
      this.#each('onPhase', (it) => it.onPhase?.(report));
    };
    tell({ state: 'begun' });
    try {
      await work();
      tell({ state: 'ended', durationMs: this.clock.now() - startedAt });
    } catch (error) {
      tell({ state: 'ended', durationMs: this.clock.now() - startedAt, error });
      throw error;
    }
  }

  #each(what: keyof LifecycleObserver, tell: (observer: LifecycleObserver) => unknown): void {
    for (const observer of this.observers) {
      callObserver(
        () => tell(observer),
        (error) => this.#complain(observer, what, error),
      );
    }
  }

  #complain(observer: LifecycleObserver, what: string, error: unknown): void {
    // An object without a prototype has no constructor.
    const { name } = (observer as Partial<LifecycleObserver>).constructor ?? { name: 'object' };
    const message = `${what}() of observer ${name} threw: ${errorText(error)}`;
    const fields = { observer: name, call: what, error: errorFields(error) };
    this.#log.warn({ message, event: 'lifecycle.observer.failed', ...fields });
  }
}
