import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Diagnosis, ElectorReport } from '../core/elector.js';
import type { ObservedElection } from '../core/lifecycle-observer.js';

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
  /** By election that was led since the last look: after which a term without a renewal ends, in milliseconds. */
  readonly #termsMs = new Map<string, number>();
  #isSaid = false;

  constructor(private readonly measure: () => LoopDelay = measureLoopDelay) {}

  onRenewal(election: string, { latencyMs, deadlineInMs }: Renewal): void {
    if (this.#isSaid) return;
    this.#histogram ??= this.measure();
    this.#termsMs.set(election, latencyMs + deadlineInMs);
  }

  look(elections: readonly ObservedElection[]): Diagnosis | undefined {
    const histogram = this.#histogram;
    if (histogram === undefined) return undefined;
    const delayMs = Math.round(histogram.max / NS_PER_MS);
    const termMs = Math.round(Math.min(...this.#termsMs.values()));
    histogram.reset();
    // What was lost since the last look may have been lost by it; what comes later is nobody's term.
    for (const { election, leading } of elections) if (!leading) this.#termsMs.delete(election);
    if (this.#termsMs.size === 0) this.stop();
    return delayMs < termMs * SHARE ? undefined : this.#finding(delayMs, termMs);
  }

  stop(): void {
    this.#histogram?.disable();
    this.#histogram = undefined;
  }

  #finding(delayMs: number, termMs: number): Diagnosis {
    this.stop();
    this.#isSaid = true;
    return {
      level: 'warning',
      summary:
        `The event loop stood still for ${delayMs} ms, and a term ends after ${termMs} ms without a renewal: ` +
        'work that blocks it costs this replica the leadership.',
      remedy:
        'Move that work to a worker thread, cut it into pieces, give the process more CPU, or take longer lease times.',
    };
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
