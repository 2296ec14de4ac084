import type { MetricsRecorder } from './metrics-recorder.js';

/** Values of labels, by name. One that does not apply is left out. */
export type Labels = Readonly<Record<string, string>>;

/** Hands one series on. */
export type Emit = (value: number, labels: Labels) => void;

interface InstrumentFacts {
  /** As OpenTelemetry writes it, below the namespace of the package: `component.state`. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Part of the name too, since not every exporter adds it. */
  readonly unit?: 's';
}

/** One whose values are asked for when somebody collects. */
export interface ReadInstrument extends InstrumentFacts {
  readonly kind: 'counter' | 'gauge';
  read(recorder: MetricsRecorder, emit: Emit): void;
}

/** One that is told each value, in seconds. */
export interface TimedInstrument extends InstrumentFacts {
  readonly kind: 'histogram';
  readonly unit: 's';
  /** Upper bounds, in seconds. */
  readonly buckets: readonly number[];
}

export type Instrument = ReadInstrument | TimedInstrument;

export const PROMETHEUS_PREFIX = 'nestjs_lifecycle_';

export const OPENTELEMETRY_PREFIX = 'nestjs.lifecycle.';

/** Without prefix; the one that an exporter for Prometheus makes of the dotted name. */
export function prometheusName({ name, kind }: Pick<Instrument, 'name' | 'kind'>): string {
  return name.replaceAll('.', '_') + (kind === 'counter' ? '_total' : '');
}
