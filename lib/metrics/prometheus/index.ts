export { PrometheusMetrics } from './prometheus-metrics.js';
export type { PrometheusMetricsOptions } from './prometheus-metrics-options.js';
