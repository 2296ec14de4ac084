import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import type { Clock } from '../core/clock.js';

const RESOLUTION_MS = 20;
const NS_PER_SECOND = 1e9;

/** Two servers that scrape in turn would else each see half of the time. */
const SHORTEST_WINDOW_MS = 5000;

type Ticks = Pick<IntervalHistogram, 'enable' | 'disable' | 'reset' | 'percentile' | 'max'>;

/** In seconds. */
export interface DelayFigures {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * How late timers fire, from one reading to the next: a reading within 5 s of the last one that began a window repeats that
 * one's figures. Its own timer does not keep the process alive.
 */
export class EventLoopDelay {
  #figures: DelayFigures | undefined;
  #readAt = 0;

  constructor(
    private readonly clock: Clock,
    private readonly histogram: Ticks = monitorEventLoopDelay({ resolution: RESOLUTION_MS }),
  ) {
    histogram.enable();
  }

  read(): DelayFigures {
    const now = this.clock.now();
    if (this.#figures !== undefined && now - this.#readAt < SHORTEST_WINDOW_MS) return this.#figures;
    this.#readAt = now;
    const { max } = this.histogram;
    const figures = {
      p50: late(this.histogram.percentile(50)),
      p99: late(this.histogram.percentile(99)),
      max: late(max),
    };
    this.histogram.reset();
    return (this.#figures = figures);
  }

  stop(): void {
    this.histogram.disable();
  }
}

/** The histogram has the time between two ticks of its timer, which is never less than the resolution. */
function late(ns: number): number {
  return Math.max(0, ns / NS_PER_SECOND - RESOLUTION_MS / 1000);
}
