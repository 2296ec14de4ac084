// The observers of the package, for benchmarks of what they cost, with real libraries behind them.
import { existsSync } from 'node:fs';

const path = (name) => new URL(`../dist/${name}/index.js`, import.meta.url);

const OBSERVERS = {
  async prometheus() {
    const { PrometheusMetrics } = await import(path('metrics/prometheus'));
    return [new PrometheusMetrics()];
  },
  async opentelemetry() {
    const { OpenTelemetryMetrics } = await import(path('metrics/opentelemetry'));
    const { MeterProvider, MetricReader } = await import('@opentelemetry/sdk-metrics');
    class Reader extends MetricReader {
      async onForceFlush() {}
      async onShutdown() {}
    }
    return [new OpenTelemetryMetrics({ meterProvider: new MeterProvider({ readers: [new Reader()] }) })];
  },
  async traces() {
    // Without it there is nothing to measure.
    if (!existsSync(path('traces/opentelemetry'))) return [];
    const { OpenTelemetryTraces } = await import(path('traces/opentelemetry'));
    const { trace } = await import('@opentelemetry/api');
    const { BatchSpanProcessor, InMemorySpanExporter, NodeTracerProvider } =
      await import('@opentelemetry/sdk-trace-node');
    const spanProcessors = [new BatchSpanProcessor(new InMemorySpanExporter())];
    trace.setGlobalTracerProvider(new NodeTracerProvider({ spanProcessors }));
    return [new OpenTelemetryTraces()];
  },
};

/** @param names such as `prometheus,traces` */
export async function observersOf(names) {
  return (await Promise.all(names.split(',').map((name) => OBSERVERS[name]()))).flat();
}
