import { register, type OpenMetricsContentType, type Registry } from 'prom-client';
import { InvalidOptionError } from '../../core/errors.js';
import { assertMethods, assertObject, rejectUnknownOptions } from '../../core/option-checks.js';
import { PROMETHEUS_PREFIX, type Labels } from '../instrument.js';
import { INSTRUMENTS } from '../instruments.js';

/** @publicApi */
export interface PrometheusMetricsOptions {
  /** Where the metrics are registered while the app runs. @default `register` of `prom-client` */
  readonly register?: Registry | Registry<OpenMetricsContentType>;
  /** What every name begins with. The alerts and the dashboard expect the default. @default 'nestjs_lifecycle_' */
  readonly prefix?: string;
  /** Labels that every series gets, with their values. @default {} */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface ResolvedPrometheusOptions {
  readonly register: Registry | Registry<OpenMetricsContentType>;
  readonly prefix: string;
  readonly labels: Labels;
}

const WHERE = 'PrometheusMetrics';
const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL_NAME = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

const TAKEN = new Set(['le', ...INSTRUMENTS.flatMap((it) => it.labels)]);

/** @throws InvalidOptionError */
export function resolvePrometheusOptions(options: PrometheusMetricsOptions): ResolvedPrometheusOptions {
  assertObject('options', options, WHERE);
  rejectUnknownOptions(options, ['register', 'prefix', 'labels'], WHERE);
  assertMethods('register', options.register, ['registerMetric', 'getSingleMetric', 'removeSingleMetric'], WHERE);
  assertPrefix(options.prefix);
  assertLabels(options.labels);
  return {
    register: options.register ?? register,
    prefix: options.prefix ?? PROMETHEUS_PREFIX,
    labels: { ...options.labels },
  };
}

function assertPrefix(value: unknown): void {
  if (value === undefined || (typeof value === 'string' && METRIC_NAME.test(value))) return;
  throw new InvalidOptionError({
    option: 'prefix',
    value,
    where: WHERE,
    expected: 'letters, digits and "_", not beginning with a digit',
    remedy: `Write it as the names are to begin, for example "${PROMETHEUS_PREFIX}".`,
  });
}

function assertLabels(value: unknown): void {
  if (value === undefined) return;
  assertObject('labels', value, WHERE, "Pass names and values, such as { service: 'orders' }.");
  for (const [name, text] of Object.entries(value as object) as [string, unknown][]) {
    if (LABEL_NAME.test(name) && !TAKEN.has(name) && typeof text === 'string') continue;
    throw new InvalidOptionError({
      option: `labels.${name}`,
      value: text,
      where: WHERE,
      expected: `a string, and a name of letters, digits and "_" other than ${[...TAKEN].join(', ')}`,
      remedy: "Write it as { service: 'orders' }.",
    });
  }
}
