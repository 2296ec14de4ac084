export { OpenTelemetryTraces } from './opentelemetry-traces.js';
export { type OpenTelemetryTracesOptions } from './opentelemetry-traces-options.js';
