import type { Diagnosis, Elector, ElectorReport } from '../core/elector.js';
import { errorText } from '../core/error-text.js';
import type { AppPhase, LifecycleObserver, ObservedApp, TermProgress } from '../core/lifecycle-observer.js';
import { guarded } from '../core/logger.js';
import { ClockCheck } from './clock-check.js';
import { EventLoopCheck } from './event-loop-check.js';
import { IdentityCheck } from './identity-check.js';
import { checkSettings, type CheckedSettings } from './settings-check.js';

/** By then the elector has made what it needs on the engine, and a busy boot is over. */
const EXAMINE_AFTER_MS = 5000;
/** An engine that does not answer is reported by the election itself. */
const DIAGNOSIS_LIMIT_MS = 10_000;
/** A healthy app on an engine that is set up as engines mostly are hears nothing. */
const QUIET: ReadonlySet<Diagnosis['level']> = new Set(['ok', 'note']);
const LOOK_EVERY_MS = 10_000;

/**
 * Looks an app over once, some seconds after its boot, and keeps an eye on what shows only later: says what is wrong, and
 * what to do about it, in one line each, once. It changes nothing, and a healthy app does not hear from it.
 */
export class Doctor implements LifecycleObserver {
  #app: ObservedApp | undefined;
  #identity: IdentityCheck | undefined;
  #clock: ClockCheck | undefined;
  readonly #eventLoop = new EventLoopCheck();
  readonly #timers = new Set<() => void>();
  readonly #said = new Set<string>();

  constructor(
    private readonly elector: Pick<Elector, 'diagnose' | 'reportsWithinMs'>,
    private readonly settings: CheckedSettings,
  ) {}

  attach(app: ObservedApp): void {
    this.#app = app;
    this.#clock = new ClockCheck(app.clock);
    this.#identity = new IdentityCheck(app, this.elector.reportsWithinMs);
  }

  onPhase({ phase, state, error }: AppPhase): void {
    if (phase === 'shutdown') this.#rest();
    else if (state === 'ended' && error === undefined && this.#app !== undefined) {
      this.#after(EXAMINE_AFTER_MS, () => void this.#examine());
      this.#lookOn();
    }
  }

  onTermProgress(progress: TermProgress): void {
    this.#identity?.onTermProgress(progress);
  }

  onElectorReport(election: string, report: ElectorReport): void {
    if (report.kind === 'renewal') this.#eventLoop.onRenewal(election, report);
  }

  detach(): void {
    this.#rest();
  }

  async #examine(): Promise<void> {
    for (const finding of checkSettings(this.settings)) this.#say(finding);
    try {
      for (const finding of await this.#diagnose()) if (!QUIET.has(finding.level)) this.#say(finding);
    } catch (error) {
      this.#say({ level: 'warning', summary: `The engine could not be examined: ${errorText(error)}` });
    }
  }

  async #diagnose(): Promise<readonly Diagnosis[]> {
    const tooLate = new Promise<readonly Diagnosis[]>((resolve) => this.#after(DIAGNOSIS_LIMIT_MS, () => resolve([])));
    const found = await Promise.race([this.elector.diagnose?.() ?? [], tooLate]);
    // Without types anything may come.
    if (!Array.isArray(found)) throw new TypeError('diagnose() of the elector gave no list');
    return found;
  }

  #lookOn(): void {
    this.#after(LOOK_EVERY_MS, () => {
      const elections = this.#app?.elections() ?? [];
      for (const finding of [this.#identity?.look(), this.#clock?.look(), this.#eventLoop.look(elections)]) {
        if (finding !== undefined) this.#say(finding);
      }
      this.#lookOn();
    });
  }

  #after(delayMs: number, callback: () => void): void {
    const cancel = this.#app?.clock.setTimer(
      () => {
        if (cancel !== undefined) this.#timers.delete(cancel);
        callback();
      },
      delayMs,
      { background: true },
    );
    if (cancel !== undefined) this.#timers.add(cancel);
  }

  #say({ level, summary, remedy }: Diagnosis): void {
    const logger = this.#app?.logger;
    if (logger === undefined || this.#said.has(summary)) return;
    this.#said.add(summary);
    const message = remedy === undefined ? summary : `${summary} ${remedy}`;
    const line = { message, event: 'lifecycle.doctor.finding' };
    if (level === 'error') guarded(logger).error(line);
    else guarded(logger).warn(line);
  }

  /** A shutdown is no time to complain. */
  #rest(): void {
    this.#timers.forEach((cancel) => cancel());
    this.#timers.clear();
    this.#eventLoop.stop();
    this.#app = undefined;
  }
}
