import type { ElectorReport } from '../core/elector.js';
import { MetricsConflictError } from '../core/errors.js';
import type { HealthCheckReport, LifecycleObserver, ObservedApp, ObservedEvent } from '../core/lifecycle-observer.js';
import { MetricsRecorder, type RecordTime } from './metrics-recorder.js';

/** Records from `attach()` to `detach()`, and leaves it to its subclass where the figures go. */
export abstract class MetricsObserver implements LifecycleObserver {
  #recorder: MetricsRecorder | undefined;

  /** @throws MetricsConflictError while it is attached to an app */
  attach(app: ObservedApp): void {
    if (this.#recorder !== undefined) {
      throw new MetricsConflictError(
        `This ${this.constructor.name} belongs to another app already. Make one for each app.`,
      );
    }
    const recorder = new MetricsRecorder(app, (...value) => this.record(...value));
    try {
      this.open(recorder);
      this.#recorder = recorder;
    } finally {
      if (this.#recorder === undefined) recorder.stop();
    }
  }

  onEvent(event: ObservedEvent): void {
    this.#recorder?.onEvent(event);
  }

  onElectorReport(election: string, report: ElectorReport): void {
    this.#recorder?.onElectorReport(election, report);
  }

  onHealthCheck(check: HealthCheckReport): void {
    this.#recorder?.onHealthCheck(check);
  }

  /** Nothing is recorded, and no timer is left, after this. */
  detach(): void {
    const recorder = this.#recorder;
    if (recorder === undefined) return;
    this.#recorder = undefined;
    this.close(recorder);
    recorder.stop();
  }

  /** Registers every instrument, or throws and leaves nothing registered. */
  protected abstract open(recorder: MetricsRecorder): void;
  protected abstract close(recorder: MetricsRecorder): void;
  protected abstract record(...value: Parameters<RecordTime>): void;
}
