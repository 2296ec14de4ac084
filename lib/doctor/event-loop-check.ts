import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Diagnosis, ElectorReport } from '../core/elector.js';

type Renewal = Extract<ElectorReport, { kind: 'renewal' }>;

const RESOLUTION_MS = 20;
const NS_PER_MS = 1e6;
/** Of the time after which a term without a renewal ends. A renewal, and its retry, need the rest. */
const SHARE = 0.5;

/** As much of an `IntervalHistogram` as is used. */
interface LoopDelay {
  /** In nanoseconds, since the last reset. */
  readonly max: number;
  reset(): void;
  disable(): void;
}

/** Notices that the event loop stands still for so long that a term nearly ends. Measures only where there is a deadline. */
export class EventLoopCheck {
  #histogram: LoopDelay | undefined;
  /** After which a term without a renewal ends, in milliseconds. */
  #termMs = Number.POSITIVE_INFINITY;
  #isSaid = false;

  constructor(private readonly measure: () => LoopDelay = measureLoopDelay) {}

  onRenewal({ latencyMs, deadlineInMs }: Renewal): void {
    if (this.#isSaid) return;
    this.#histogram ??= this.measure();
    this.#termMs = latencyMs + deadlineInMs;
  }

  look(): Diagnosis | undefined {
    const histogram = this.#histogram;
    if (histogram === undefined) return undefined;
    const delayMs = Math.round(histogram.max / NS_PER_MS);
    histogram.reset();
    if (delayMs < this.#termMs * SHARE) return undefined;
    this.stop();
    this.#isSaid = true;
    return {
      level: 'warning',
      summary:
        `The event loop stood still for ${delayMs} ms, and a term ends after ${Math.round(this.#termMs)} ms without a renewal: ` +
        'work that blocks it costs this replica the leadership.',
      remedy:
        'Move that work to a worker thread, cut it into pieces, give the process more CPU, or take longer lease times.',
    };
  }

  stop(): void {
    this.#histogram?.disable();
    this.#histogram = undefined;
  }
}

function measureLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return {
    get max() {
      return histogram.max;
    },
    reset: () => histogram.reset(),
    disable: () => void histogram.disable(),
  };
}
