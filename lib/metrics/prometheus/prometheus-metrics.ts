import { Counter, Gauge, Histogram } from 'prom-client';
import { MetricsConflictError } from '../../core/errors.js';
import type { ObserverPage } from '../../core/lifecycle-observer.js';
import {
  prometheusName,
  type Instrument,
  type Labels,
  type ReadInstrument,
  type TimedInstrument,
} from '../instrument.js';
import { INSTRUMENTS } from '../instruments.js';
import { MetricsObserver } from '../metrics-observer.js';
import type { MetricsRecorder } from '../metrics-recorder.js';
import {
  resolvePrometheusOptions,
  type PrometheusMetricsOptions,
  type ResolvedPrometheusOptions,
} from './prometheus-metrics-options.js';

/**
 * Metrics of an app by `prom-client`: registered from the start of the app to its end, and removed then. Give it to the
 * option `observers`; where the management server is on, it serves them at `/metrics`.
 *
 * One app a register and prefix: of a second one nothing is recorded, and a warning says so.
 *
 * @publicApi
 */
export class PrometheusMetrics extends MetricsObserver {
  readonly #options: ResolvedPrometheusOptions;
  readonly #labelled: boolean;
  readonly #histograms = new Map<TimedInstrument, Histogram>();

  /** Everything that is in the register, metrics of others included. */
  readonly pages: readonly ObserverPage[] = [{ path: 'metrics', render: () => this.#render() }];

  /** @throws InvalidOptionError */
  constructor(options: PrometheusMetricsOptions = {}) {
    super();
    this.#options = resolvePrometheusOptions(options);
    this.#labelled = Object.keys(this.#options.labels).length > 0;
  }

  protected override open(recorder: MetricsRecorder): void {
    const taken = INSTRUMENTS.map((it) => this.#nameOf(it)).find((it) => this.#options.register.getSingleMetric(it));
    if (taken !== undefined) {
      throw new MetricsConflictError(
        `The register has a metric "${taken}" already, so nothing of this app is recorded. Give each app of a process ` +
          'a register of its own, new PrometheusMetrics({ register: new Registry() }), or a prefix of its own.',
      );
    }
    for (const instrument of INSTRUMENTS) {
      this.#options.register.registerMetric(
        instrument.kind === 'histogram' ? this.#histogram(instrument, recorder) : this.#read(instrument, recorder),
      );
    }
  }

  protected override close(): void {
    for (const instrument of INSTRUMENTS) this.#options.register.removeSingleMetric(this.#nameOf(instrument));
    this.#histograms.clear();
  }

  protected override record(instrument: TimedInstrument, seconds: number, labels: Labels): void {
    this.#histograms.get(instrument)?.observe(this.#complete(labels), seconds);
  }

  #read(instrument: ReadInstrument, recorder: MetricsRecorder): Gauge | Counter {
    const complete = (labels: Labels) => this.#complete(labels);
    const configuration = this.#configuration(instrument);
    if (instrument.kind === 'gauge') {
      return new Gauge({
        ...configuration,
        collect() {
          this.reset();
          instrument.read(recorder, (value, labels) => this.set(complete(labels), value));
        },
      });
    }
    return new Counter({
      ...configuration,
      collect() {
        this.reset();
        instrument.read(recorder, (value, labels) => this.inc(complete(labels), value));
      },
    });
  }

  #histogram(instrument: TimedInstrument, recorder: MetricsRecorder): Histogram {
    const histogram = new Histogram({
      ...this.#configuration(instrument),
      buckets: [...instrument.buckets],
      collect: () => recorder.flush(),
    });
    this.#histograms.set(instrument, histogram);
    return histogram;
  }

  #configuration(instrument: Instrument) {
    return {
      name: this.#nameOf(instrument),
      help: instrument.help,
      labelNames: [...instrument.labels, ...Object.keys(this.#options.labels)],
      // Registered one by one: by default each would go to the global register as well.
      registers: [],
    };
  }

  #nameOf(instrument: Instrument): string {
    return this.#options.prefix + prometheusName(instrument);
  }

  #complete(labels: Labels): Labels {
    return this.#labelled ? { ...labels, ...this.#options.labels } : labels;
  }

  async #render(): Promise<{ contentType: string; body: string }> {
    const { register } = this.#options;
    return { contentType: register.contentType, body: await register.metrics() };
  }
}
