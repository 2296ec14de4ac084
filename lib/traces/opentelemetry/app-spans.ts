import type { Tracer } from '@opentelemetry/api';
import type { ComponentStatusEvent } from '../../core/lifecycle-events.js';
import type { AppPhase, ObservedEvent, TermProgress } from '../../core/lifecycle-observer.js';
import { ComponentSpans } from './component-spans.js';
import { OpenSpan } from './open-span.js';
import { TermSpans } from './term-spans.js';

/** What is made of starts and stops that take next to no time. */
export interface BriefSpans {
  /** What takes less is brief. */
  readonly ms: number;
  /** How many of them a boot, a shutdown or a term has. */
  readonly limit: number;
}

/** The open spans of one app: at most two phases, a term per election, a start or stop per component. */
export class AppSpans {
  readonly #phases = new Map<AppPhase['phase'], OpenSpan>();
  readonly #terms: TermSpans;
  readonly #components: ComponentSpans;
  /** What a boot that nobody tells the end of has failed of. */
  #bootFailure: { readonly error: unknown } | undefined;

  constructor(
    private readonly tracer: Tracer,
    private readonly identity: string,
    private readonly brief: BriefSpans,
  ) {
    this.#terms = new TermSpans(tracer, brief.limit);
    this.#components = new ComponentSpans(tracer, identity, brief.ms, (election) => this.#parentOf(election));
  }

  onEvent({ name, payload }: ObservedEvent): void {
    if (name === 'lifecycle.component.status') this.#onStatus(payload);
    else if (name === 'lifecycle.leadership.acquired') this.#terms.acquired(payload);
    else if (name === 'lifecycle.leadership.lost') this.#terms.lost(payload);
  }

  onPhase({ phase, state, at, error }: AppPhase): void {
    if (state === 'begun') {
      const attributes = { 'lifecycle.identity': this.identity };
      this.#phases.set(phase, new OpenSpan(this.tracer, { name: phase, at, attributes, briefLimit: this.brief.limit }));
      return;
    }
    this.#endPhase(phase, error === undefined ? undefined : { error }, at);
  }

  onTermProgress(progress: TermProgress): void {
    this.#terms.progress(progress);
  }

  /** Ends whatever is open: nobody will tell of it any more. */
  endAll(at: number): void {
    this.#components.endAll('detached', at);
    this.#terms.endAll('detached', at);
    // A boot that a broken component ended is told of after the shutdown that it led to.
    this.#endPhase('boot', this.#bootFailure, at, 'cut short');
    this.#endPhase('shutdown', undefined, at, 'cut short');
  }

  #onStatus(event: ComponentStatusEvent): void {
    this.#components.onStatus(event);
    const { to, criticality, election, restartInMs, error } = event;
    if (to !== 'failed' || criticality !== 'critical' || election !== undefined || restartInMs !== undefined) return;
    if (this.#phases.has('boot')) this.#bootFailure ??= { error };
  }

  /** What a start or stop is a part of. An app that stops while it boots stops its components, and boots none. */
  #parentOf(election: string | undefined): OpenSpan | undefined {
    const term = election === undefined ? undefined : this.#terms.of(election);
    return term ?? this.#phases.get('shutdown') ?? this.#phases.get('boot');
  }

  #endPhase(
    phase: AppPhase['phase'],
    failure: { readonly error: unknown } | undefined,
    at: number,
    outcome = 'ended',
  ): void {
    const span = this.#phases.get(phase);
    this.#phases.delete(phase);
    if (failure !== undefined) span?.fail(failure.error, at);
    span?.end(failure === undefined ? outcome : 'failed', at);
  }
}
