import type { TracerProvider } from '@opentelemetry/api';
import {
  assertCount,
  assertDuration,
  assertMethods,
  assertObject,
  rejectUnknownOptions,
} from '../../core/option-checks.js';

/** Options of `OpenTelemetryTraces`. @publicApi */
export interface OpenTelemetryTracesOptions {
  /** Whose tracer makes the spans. @default the global one, also where it is set after the app was created */
  readonly tracerProvider?: TracerProvider;
  /**
   * A start or stop that takes less is brief: `briefSpanLimit` holds for it, unless it fails. 0 records all of them.
   * In milliseconds. @default 100
   */
  readonly briefMs?: number;
  /**
   * How many brief starts and stops a boot, a shutdown or a term has a span for; the rest is counted in the attribute
   * `lifecycle.brief_omitted` of their parent. @default 32
   */
  readonly briefSpanLimit?: number;
}

export const DEFAULT_BRIEF_MS = 100;
export const DEFAULT_BRIEF_SPAN_LIMIT = 32;

const WHERE = 'OpenTelemetryTraces';

/** @throws InvalidOptionError */
export function checkTracesOptions(options: OpenTelemetryTracesOptions): void {
  assertObject('options', options, WHERE);
  rejectUnknownOptions(options, ['tracerProvider', 'briefMs', 'briefSpanLimit'], WHERE);
  assertMethods('tracerProvider', options.tracerProvider, ['getTracer'], WHERE);
  assertDuration('briefMs', options.briefMs, WHERE);
  assertCount('briefSpanLimit', options.briefSpanLimit, 0, WHERE);
}
