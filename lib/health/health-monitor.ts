import type { Clock } from '../core/clock.js';
import type { HealthCheckReport } from '../core/lifecycle-observer.js';
import type { ElectionSnapshot } from '../leadership/election-snapshot.js';
import type { ComponentSnapshot } from '../registry/component-snapshot.js';
import { CheckRunner } from './check-runner.js';
import type { CheckedRegistry } from './checked-registry.js';
import { judgeComponent, type ComponentVerdict } from './component-verdict.js';
import { judgeElection, type ElectionVerdict } from './election-verdict.js';
import { assertRequiredTimeout } from './health-tracker-options.js';
import { verdictOf, type HealthVerdict } from './health-verdict.js';
import { livenessReasons, readinessReasons } from './probe-reasons.js';
import { VerdictCache } from './verdict-cache.js';

/** What health is made of. */
export interface HealthMonitorOptions {
  readonly registry: CheckedRegistry;
  readonly leadership?: { elections(): readonly ElectionSnapshot[] } | undefined;
  readonly clock: Clock;
  /** Time between two checks of a component, in milliseconds. */
  readonly intervalMs: number;
  /** Time that one check may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Show the texts of errors in notes and reasons. @default true */
  readonly errorDetails?: boolean;
  /** Hears of each check that has settled or timed out. Must not throw. */
  readonly onCheck?: (check: HealthCheckReport) => void;
}

/** Shortest time between two rounds for runs that have just begun, in milliseconds: a boot is many of them in a row. */
const NEW_RUNS_GAP_MS = 100;

/**
 * Checks the running components in the background and answers probes from what it knows: a probe runs no user code and
 * never waits.
 *
 * @publicApi
 */
export class HealthMonitor {
  readonly #registry: CheckedRegistry;
  readonly #leadership: HealthMonitorOptions['leadership'];
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #checks: CheckRunner;
  readonly #components = new VerdictCache((it: ComponentSnapshot) => judgeComponent(it, this.#details));
  readonly #elections = new VerdictCache((it: ElectionSnapshot) => judgeElection(it, this.#details));
  readonly #details: boolean;
  #state: 'new' | 'checking' | 'stopped' = 'new';
  #firstStartDone = false;
  #shuttingDown = false;
  #cancelInterval: (() => void) | undefined;
  #cancelNewRuns: (() => void) | undefined;
  #newRunsCheckedAt = Number.NEGATIVE_INFINITY;

  /**
   * @throws InvalidOptionError
   * @internal
   */
  constructor(options: HealthMonitorOptions) {
    assertRequiredTimeout('intervalMs', options.intervalMs, 'HealthMonitor');
    assertRequiredTimeout('timeoutMs', options.timeoutMs, 'HealthMonitor');
    this.#registry = options.registry;
    this.#leadership = options.leadership;
    this.#clock = options.clock;
    this.#intervalMs = options.intervalMs;
    this.#details = options.errorDetails ?? true;
    const { registry, clock, timeoutMs, onCheck } = options;
    const onUnblocked = () => this.#checkNewRunsSoon();
    this.#checks = new CheckRunner({ registry, clock, timeoutMs, onUnblocked, onCheck });
  }

  /** Begins to check in the background. Its timers alone do not keep the process alive. Idempotent. */
  start(): void {
    if (this.#state !== 'new') return;
    this.#state = 'checking';
    this.#scheduleInterval();
    this.#checkNewRunsSoon();
  }

  /**
   * Ends checking for good: no check is called and no result recorded any more, the signals of checks under way are
   * aborted. Verdicts can still be read. Idempotent.
   */
  stop(): void {
    this.#state = 'stopped';
    this.#cancelInterval?.();
    this.#cancelNewRuns?.();
    this.#checks.abandon();
  }

  /** The first start has finished: startup passes, and readiness is up to the components. */
  markStarted(): void {
    this.#firstStartDone = true;
  }

  /** Shutdown has begun: readiness fails from now on. */
  markStopping(): void {
    this.#shuttingDown = true;
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** A component is running: the first check of a run comes at once, not an interval later. */
  markRunning(): void {
    this.#checkNewRunsSoon();
  }

  /**
   * Checks all running components now.
   *
   * @returns when each check has settled or timed out; at once after `stop()`. Never rejects.
   */
  async refresh(): Promise<void> {
    if (this.#state !== 'stopped') await this.#checks.checkAll();
  }

  /** Whether this process should be left alone. Not ok only for what its restart would cure. */
  live(): HealthVerdict {
    return verdictOf(livenessReasons(this.#registry.snapshot(), this.#leadership?.elections() ?? [], this.#details));
  }

  /** Whether this replica should get traffic. Standby is ready. */
  ready(): HealthVerdict {
    if (this.#shuttingDown) return verdictOf(['the app is shutting down']);
    const reasons = readinessReasons(this.#registry.snapshot(), this.#details);
    return verdictOf(this.#firstStartDone ? reasons : ['the first start has not finished', ...reasons]);
  }

  /** Whether the first start has finished. */
  startup(): HealthVerdict {
    return verdictOf(this.#firstStartDone ? [] : ['the first start has not finished']);
  }

  /** In order of registration. The same array for as long as nothing changes. */
  components(): readonly ComponentVerdict[] {
    return this.#components.of(this.#registry.snapshot());
  }

  /** The same array for as long as nothing changes. */
  elections(): readonly ElectionVerdict[] {
    return this.#elections.of(this.#leadership?.elections() ?? []);
  }

  #scheduleInterval(): void {
    const round = () => {
      this.#scheduleInterval();
      void this.refresh();
    };
    this.#cancelInterval = this.#clock.setTimer(round, this.#intervalMs, { background: true });
  }

  #checkNewRunsSoon(): void {
    if (this.#state !== 'checking' || this.#cancelNewRuns !== undefined) return;
    const waitMs = Math.max(0, this.#newRunsCheckedAt + NEW_RUNS_GAP_MS - this.#clock.now());
    const round = () => {
      this.#cancelNewRuns = undefined;
      this.#newRunsCheckedAt = this.#clock.now();
      this.#checks.checkNewRuns();
    };
    this.#cancelNewRuns = this.#clock.setTimer(round, waitMs, { background: true });
  }
}
