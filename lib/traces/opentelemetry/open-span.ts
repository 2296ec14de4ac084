import {
  ROOT_CONTEXT,
  SpanStatusCode,
  diag,
  trace,
  type Attributes,
  type Context,
  type HrTime,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { errorFields } from '../../core/error-fields.js';
import { errorStack } from '../../core/error-text.js';

/** What a span begins with. */
export interface SpanBegin {
  readonly name: string;
  /** In milliseconds since the epoch, as all times here. */
  readonly at: number;
  readonly attributes: Attributes;
  /** Without one it is the root of a trace, whatever span is active where the event was published. */
  readonly parent?: OpenSpan | undefined;
  /** How many brief children it may have. @default any number */
  readonly briefLimit?: number;
}

/** A span that has not ended yet. Its time never runs backwards, whatever the wall clock does. */
export class OpenSpan {
  /** Whether anybody will see it; what would be its children need not be made otherwise. */
  readonly recording: boolean;
  readonly #span: Span;
  #context: Context | undefined;
  #latest: number;
  /** How many brief children it can still have; below zero, how many it could not. */
  #briefLeft: number;

  constructor(tracer: Tracer, { name, at, attributes, parent, briefLimit = Infinity }: SpanBegin) {
    const options = { startTime: hrTime(at), attributes, ...(parent === undefined && { root: true }) };
    this.#span = tracer.startSpan(name, options, parent?.context ?? ROOT_CONTEXT);
    this.#latest = at;
    this.#briefLeft = briefLimit;
    this.recording = this.#span.isRecording();
  }

  /** In which its children begin. */
  get context(): Context {
    return (this.#context ??= trace.setSpan(ROOT_CONTEXT, this.#span));
  }

  /** To be asked before each brief child: whether it may have one more. Those that it may not are counted. */
  admitsBrief(): boolean {
    return this.#briefLeft-- > 0;
  }

  event(name: string, at: number, attributes: Attributes = {}): void {
    this.#span.addEvent(name, attributes, this.#time(at));
  }

  /** Anything can have been thrown, also what throws when it is looked at. */
  fail(error: unknown, at: number): void {
    const { name, message, code } = errorFields(error);
    const stack = errorStack(error);
    const type = code === undefined ? name : String(code);
    this.#span.setAttribute('error.type', type);
    this.#span.recordException({ name: type, message, ...(stack !== undefined && { stack }) }, this.#time(at));
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message });
  }

  /** Never throws: the spans that are left must be ended too. @param outcome what it came to */
  end(outcome: string, at: number): void {
    try {
      this.#span.setAttribute('lifecycle.outcome', outcome);
      if (this.#briefLeft < 0) this.#span.setAttribute('lifecycle.brief_omitted', -this.#briefLeft);
      this.#span.end(this.#time(at));
    } catch (error) {
      diag.error('nestjs-lifecycle: a span processor threw', error);
    }
  }

  #time(at: number): HrTime {
    this.#latest = Math.max(this.#latest, at);
    return hrTime(this.#latest);
  }
}

/** A plain number below the uptime of the process would be taken for a time since its start. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
