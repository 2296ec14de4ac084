import {
  createNoopMeter,
  metrics,
  type Histogram,
  type Meter,
  type MeterProvider,
  type Observable,
  type ObservableCallback,
} from '@opentelemetry/api';
import { MetricsConflictError } from '../../core/errors.js';
import {
  OPENTELEMETRY_PREFIX,
  type Instrument,
  type Labels,
  type ReadInstrument,
  type TimedInstrument,
} from '../instrument.js';
import { INSTRUMENTS } from '../instruments.js';
import { MetricsObserver } from '../metrics-observer.js';
import type { MetricsRecorder } from '../metrics-recorder.js';
import { assertOpenTelemetryOptions, type OpenTelemetryMetricsOptions } from './open-telemetry-metrics-options.js';

const SCOPE = 'nestjs-lifecycle';

/** The attributes by which the apps on a provider are told apart. */
const inUse = new WeakMap<MeterProvider, Set<string>>();

interface Reading {
  readonly observable: Observable;
  readonly callback: ObservableCallback;
}

/**
 * Metrics of an app by `@opentelemetry/api`. Give it to the option `observers`, and register the SDK's provider before the
 * app is created. After the end of the app the figures of its end are told once more, to the next reader: a reader keeps
 * the last value that it was told, and that must not be that a replica leads.
 *
 * One app a provider and set of attributes: of a second one nothing is recorded, and a warning says so.
 *
 * @publicApi
 */
export class OpenTelemetryMetrics extends MetricsObserver {
  readonly #options: OpenTelemetryMetricsOptions;
  readonly #attributes: Labels;
  readonly #attributed: boolean;
  readonly #histograms = new Map<TimedInstrument, Histogram>();
  readonly #readings: Reading[] = [];
  #provider: MeterProvider | undefined;

  /** @throws InvalidOptionError */
  constructor(options: OpenTelemetryMetricsOptions = {}) {
    super();
    assertOpenTelemetryOptions(options);
    this.#options = options;
    this.#attributes = { ...options.attributes };
    this.#attributed = Object.keys(this.#attributes).length > 0;
  }

  protected override open(recorder: MetricsRecorder): void {
    const provider = this.#options.meterProvider ?? metrics.getMeterProvider();
    const meter = provider.getMeter(SCOPE);
    if (meter === createNoopMeter()) {
      recorder.app.logger.warn(
        'OpenTelemetryMetrics records nothing: no MeterProvider is registered. Register that of the SDK before the app ' +
          'is created, or pass it as the option meterProvider.',
      );
      return;
    }
    this.#claim(provider);
    for (const instrument of INSTRUMENTS) {
      if (instrument.kind === 'histogram') this.#histograms.set(instrument, histogram(meter, instrument));
      else this.#read(instrument, meter, recorder);
    }
  }

  /** What is told once more is read at the next collection: a shutdown is not the time, and the app answers after it too. */
  protected override close(recorder: MetricsRecorder): void {
    const histograms = new Map(this.#histograms);
    this.#histograms.clear();
    const times = [...recorder.takeTimes()];
    const flush = () => {
      for (const { instrument, seconds, labels } of times.splice(0)) {
        histograms.get(instrument)?.record(seconds, this.#complete(labels));
      }
    };
    for (const { observable, callback } of this.#readings.splice(0)) {
      const last: ObservableCallback = (result) => {
        observable.removeCallback(last);
        flush();
        return callback(result);
      };
      observable.removeCallback(callback);
      observable.addCallback(last);
    }
    if (this.#provider !== undefined) inUse.get(this.#provider)?.delete(this.#key);
    this.#provider = undefined;
  }

  protected override record(instrument: TimedInstrument, seconds: number, labels: Labels): void {
    this.#histograms.get(instrument)?.record(seconds, this.#complete(labels));
  }

  #read(instrument: ReadInstrument, meter: Meter, recorder: MetricsRecorder): void {
    const { name, options } = describe(instrument);
    const observable =
      instrument.kind === 'gauge'
        ? meter.createObservableGauge(name, options)
        : meter.createObservableCounter(name, options);
    const callback: ObservableCallback = (result) => {
      // The SDK asks before it collects histograms.
      recorder.flush();
      instrument.read(recorder, (value, labels) => result.observe(value, this.#complete(labels)));
    };
    observable.addCallback(callback);
    this.#readings.push({ observable, callback });
  }

  /** Two apps would write the same series, and the last to be asked would win. */
  #claim(provider: MeterProvider): void {
    const keys = inUse.get(provider) ?? new Set<string>();
    if (keys.has(this.#key)) {
      throw new MetricsConflictError(
        'Another app of this process has the same MeterProvider and attributes, so nothing of this app is recorded. ' +
          "Tell them apart: new OpenTelemetryMetrics({ attributes: { app: 'worker' } }).",
      );
    }
    inUse.set(provider, keys.add(this.#key));
    this.#provider = provider;
  }

  get #key(): string {
    return JSON.stringify(Object.entries(this.#attributes).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #complete(labels: Labels): Labels {
    return this.#attributed ? { ...labels, ...this.#attributes } : labels;
  }
}

function histogram(meter: Meter, instrument: TimedInstrument): Histogram {
  const { name, options } = describe(instrument);
  return meter.createHistogram(name, { ...options, advice: { explicitBucketBoundaries: [...instrument.buckets] } });
}

function describe({ name, help, unit }: Instrument) {
  return { name: OPENTELEMETRY_PREFIX + name, options: { description: help, ...(unit && { unit }) } };
}
