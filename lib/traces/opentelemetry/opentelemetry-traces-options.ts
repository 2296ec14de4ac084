import type { TracerProvider } from '@opentelemetry/api';
import { assertMethods, assertObject, rejectUnknownOptions } from '../../core/option-checks.js';

/** Options of `OpenTelemetryTraces`. @publicApi */
export interface OpenTelemetryTracesOptions {
  /** Whose tracer makes the spans. @default the global one, also where it is set after the app was created */
  readonly tracerProvider?: TracerProvider;
}

const WHERE = 'OpenTelemetryTraces';

/** @throws InvalidOptionError */
export function checkTracesOptions(options: OpenTelemetryTracesOptions): void {
  assertObject('options', options, WHERE);
  rejectUnknownOptions(options, ['tracerProvider'], WHERE);
  assertMethods('tracerProvider', options.tracerProvider, ['getTracer'], WHERE);
}
