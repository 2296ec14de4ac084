import type { ElectorReport } from '../core/elector.js';
import type { ComponentStatusEvent, LeadershipLostEvent } from '../core/lifecycle-events.js';
import type { HealthCheckReport, ObservedApp, ObservedEvent } from '../core/lifecycle-observer.js';
import { AllComponentFigures } from './all-component-figures.js';
import { CappedNames } from './capped-names.js';
import { EventLoopDelay } from './event-loop-delay.js';
import type { Labels, TimedInstrument } from './instrument.js';
import { Tally } from './tally.js';
import { CHECK_DURATION, RENEW_DURATION, START_DURATION, STOP_DURATION, TERM_DURATION } from './timed-instruments.js';

/** A value of a histogram. */
export interface TakenTime {
  readonly instrument: TimedInstrument;
  readonly seconds: number;
  readonly labels: Labels;
}

/** A histogram takes some ten times as long as a push: a boot of hundreds of components is not the time for it. */
const MOST_TIMES = 4096;

/** Takes one value of a histogram, in seconds. */
export type RecordTime = (instrument: TimedInstrument, seconds: number, labels: Labels) => void;

/**
 * What is counted while an app runs, for whatever library exports it. What the app can be asked is asked only when somebody
 * collects; an event costs an increment.
 */
export class MetricsRecorder {
  readonly transitions = new Tally(['election', 'transition', 'cause']);
  readonly lastAcquired = new Tally(['election']);
  readonly lastLost = new Tally(['election']);
  readonly errors = new Tally(['election', 'operation', 'kind']);
  readonly components = new AllComponentFigures();
  readonly methods = new CappedNames();
  /** Elections that had a deadline. */
  readonly deadlines = new Set<string>();
  readonly eventLoopDelay: EventLoopDelay;
  readonly #times: TakenTime[] = [];
  readonly #operations = new CappedNames();

  constructor(
    readonly app: ObservedApp,
    private readonly record: RecordTime,
  ) {
    this.eventLoopDelay = new EventLoopDelay(app.clock);
  }

  onEvent({ name, payload }: ObservedEvent): void {
    if (name === 'lifecycle.component.status') this.#onStatus(payload);
    if (name === 'lifecycle.leadership.lost') this.#onLost(payload);
    if (name !== 'lifecycle.leadership.acquired') return;
    this.transitions.add(1, payload.election, 'acquired');
    this.lastAcquired.set(payload.at / 1000, payload.election);
  }

  onElectorReport(election: string, report: ElectorReport): void {
    if (report.kind === 'renewal') this.#record(RENEW_DURATION, report.latencyMs, { election });
    if (report.kind !== 'error' && report.kind !== 'refusal') return;
    this.errors.add(1, election, this.#operations.of(report.operation), report.kind);
  }

  onHealthCheck({ name, durationMs }: HealthCheckReport): void {
    this.#record(CHECK_DURATION, durationMs, this.components.of(name).labels);
  }

  /** Hands on the times that were taken. To be called before histograms are collected. */
  flush(): void {
    for (const { instrument, seconds, labels } of this.takeTimes()) this.record(instrument, seconds, labels);
  }

  /** Those that were not handed on yet: the caller has to. */
  takeTimes(): readonly TakenTime[] {
    return this.#times.splice(0);
  }

  stop(): void {
    this.eventLoopDelay.stop();
  }

  #onStatus({ name, from, to, durationMs }: ComponentStatusEvent): void {
    const figures = this.components.of(name);
    if (to === 'starting') figures.starts++;
    if (to === 'failed') figures.failures++;
    if (from === 'starting' && to === 'running') this.#record(START_DURATION, durationMs, figures.labels);
    if (from === 'stopping') this.#record(STOP_DURATION, durationMs, figures.labels);
  }

  #onLost({ election, at, durationMs, voluntary }: LeadershipLostEvent): void {
    this.transitions.add(1, election, 'lost', voluntary ? 'voluntary' : 'involuntary');
    this.lastLost.set(at / 1000, election);
    this.#record(TERM_DURATION, durationMs, { election });
  }

  #record(instrument: TimedInstrument, ms: number, labels: Labels): void {
    this.#times.push({ instrument, seconds: ms / 1000, labels });
    if (this.#times.length >= MOST_TIMES) this.flush();
  }
}
