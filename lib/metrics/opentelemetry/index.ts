export { OpenTelemetryMetrics } from './open-telemetry-metrics.js';
export type { OpenTelemetryMetricsOptions } from './open-telemetry-metrics-options.js';
