import { trace, type TracerProvider } from '@opentelemetry/api';
import type {
  AppPhase,
  LifecycleObserver,
  ObservedApp,
  ObservedEvent,
  TermProgress,
} from '../../core/lifecycle-observer.js';
import { AppSpans, type BriefSpans } from './app-spans.js';
import {
  DEFAULT_BRIEF_MS,
  DEFAULT_BRIEF_SPAN_LIMIT,
  checkTracesOptions,
  type OpenTelemetryTracesOptions,
} from './opentelemetry-traces-options.js';

/** What the provider of an SDK has, and the API leaves out. */
interface Flushable {
  forceFlush?(): Promise<void>;
  getDelegate?(): Flushable;
}

/**
 * Traces by OpenTelemetry: a span per boot, per shutdown and per term, with the starts and stops of components as their
 * children. A start or stop outside of all of them is a trace of its own. Times are those of the events. Of starts and
 * stops that are brief, each parent has a limited number.
 *
 * A span is exported when it ends, so a term is seen once it is over. Whatever is open when the app detaches is ended
 * then, and the provider is asked to flush. For one app.
 *
 * @publicApi
 */
export class OpenTelemetryTraces implements LifecycleObserver {
  readonly #given: TracerProvider | undefined;
  readonly #brief: BriefSpans;
  #app: ObservedApp | undefined;
  #spans: AppSpans | undefined;

  /** @throws InvalidOptionError */
  constructor(options: OpenTelemetryTracesOptions = {}) {
    checkTracesOptions(options);
    this.#given = options.tracerProvider;
    this.#brief = {
      ms: options.briefMs ?? DEFAULT_BRIEF_MS,
      limit: options.briefSpanLimit ?? DEFAULT_BRIEF_SPAN_LIMIT,
    };
  }

  attach(app: ObservedApp): void {
    this.#app = app;
    this.#spans = new AppSpans(this.#provider.getTracer('nestjs-lifecycle'), app.identity, this.#brief);
  }

  onEvent(event: ObservedEvent): void {
    this.#spans?.onEvent(event);
  }

  onPhase(phase: AppPhase): void {
    this.#spans?.onPhase(phase);
  }

  onTermProgress(progress: TermProgress): void {
    this.#spans?.onTermProgress(progress);
  }

  /** Idempotent; nothing is recorded after it. */
  async detach(): Promise<void> {
    const [spans, app] = [this.#spans, this.#app];
    this.#spans = undefined;
    this.#app = undefined;
    if (spans === undefined || app === undefined) return;
    spans.endAll(app.clock.wallNow());
    const provider = this.#provider as TracerProvider & Flushable;
    await (provider.getDelegate?.() ?? provider).forceFlush?.();
  }

  get #provider(): TracerProvider {
    return this.#given ?? trace.getTracerProvider();
  }
}
