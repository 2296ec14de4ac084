import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { LifecycleObserver } from 'nestjs-lifecycle';
import { OpenTelemetryMetrics } from 'nestjs-lifecycle/metrics/opentelemetry';
import { PrometheusMetrics } from 'nestjs-lifecycle/metrics/prometheus';
import { Registry } from 'prom-client';

export interface Exporter {
  readonly observer: LifecycleObserver;
  /** A second app's, on the same register or provider. */
  another(): LifecycleObserver;
  scrape(): Promise<string>;
}

function prometheus(): Exporter {
  const register = new Registry();
  const observer = new PrometheusMetrics({ register });
  const scrape = async () => (await observer.pages[0]?.render())?.body ?? '';
  return { observer, another: () => new PrometheusMetrics({ register }), scrape };
}

function openTelemetry(): Exporter {
  const exporter = new PrometheusExporter({
    preventServerStart: true,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
  });
  const meterProvider = new MeterProvider({ readers: [exporter] });
  const scrape = () =>
    new Promise<string>((resolve) => {
      const response = { setHeader: () => undefined, end: resolve, statusCode: 0 };
      exporter.getMetricsRequestHandler({} as never, response as never);
    });
  const make = () => new OpenTelemetryMetrics({ meterProvider });
  return { observer: make(), another: make, scrape };
}

/** For `describe.each`. */
export const EXPORTERS: readonly (readonly [name: string, make: () => Exporter])[] = [
  ['prom-client', prometheus],
  ['OpenTelemetry', openTelemetry],
];

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/y;

/**
 * The exposition format, read strictly.
 *
 * @returns by name and labels in the order of their names: `name{a="1",b="2"}`
 * @throws on a line that is none
 */
export function parseExposition(text: string): Map<string, number> {
  const series = new Map<string, number>();
  for (const line of text.split('\n').filter((it) => it !== '' && !it.startsWith('#'))) {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined) throw new Error(`Not a line of the exposition format: ${line}`);
    const pairs = labelsOf(labels).toSorted();
    const key = pairs.length > 0 ? `${name}{${pairs.join(',')}}` : name;
    if (series.has(key)) throw new Error(`Twice: ${key}`);
    series.set(key, value === '+Inf' ? Infinity : Number(value));
  }
  return series;
}

function labelsOf(text: string): string[] {
  const labels: string[] = [];
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const match = LABEL.exec(text);
    if (match === null) throw new Error(`Not labels: ${text}`);
    labels.push(`${match[1]}="${match[2]}"`);
  }
  return labels;
}

/** `# TYPE name kind` and `# HELP name text` of an exposition, by name. */
export function metadataOf(text: string, what: 'TYPE' | 'HELP'): Map<string, string> {
  const lines = [...text.matchAll(new RegExp(`^# ${what} (\\S+) (.*)$`, 'gm'))];
  return new Map(lines.map(([, name = '', rest = '']) => [name, rest]));
}
