import type { MeterProvider } from '@opentelemetry/api';
import { InvalidOptionError } from '../../core/errors.js';
import { assertMethods, assertObject, rejectUnknownOptions } from '../../core/option-checks.js';
import { INSTRUMENTS } from '../instruments.js';

/** @publicApi */
export interface OpenTelemetryMetricsOptions {
  /** Who makes the instruments. @default the one that is registered with `@opentelemetry/api` when the app starts */
  readonly meterProvider?: MeterProvider;
  /** Attributes that every series gets, with their values. @default {} */
  readonly attributes?: Readonly<Record<string, string>>;
}

const WHERE = 'OpenTelemetryMetrics';
const TAKEN = new Set(INSTRUMENTS.flatMap((it) => it.labels));

/** @throws InvalidOptionError */
export function assertOpenTelemetryOptions(options: OpenTelemetryMetricsOptions): void {
  assertObject('options', options, WHERE);
  rejectUnknownOptions(options, ['meterProvider', 'attributes'], WHERE);
  assertMethods('meterProvider', options.meterProvider, ['getMeter'], WHERE);
  if (options.attributes === undefined) return;
  assertObject('attributes', options.attributes, WHERE, "Pass names and values, such as { service: 'orders' }.");
  for (const [name, value] of Object.entries(options.attributes) as [string, unknown][]) {
    if (!TAKEN.has(name) && typeof value === 'string') continue;
    throw new InvalidOptionError({
      option: `attributes.${name}`,
      value,
      where: WHERE,
      expected: `a string, and a name other than ${[...TAKEN].join(', ')}`,
      remedy: "Write it as { service: 'orders' }.",
    });
  }
}
