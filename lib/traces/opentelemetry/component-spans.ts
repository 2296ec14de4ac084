import { diag, type Attributes, type Tracer } from '@opentelemetry/api';
import type { ComponentStatusEvent } from '../../core/lifecycle-events.js';
import { OpenSpan } from './open-span.js';

type Transition = 'start' | 'stop' | 'fail';

interface OpenTransition {
  readonly what: Transition;
  readonly event: ComponentStatusEvent;
  readonly parent: OpenSpan | undefined;
}

/**
 * A span per start and per stop of a component: at most one open per component. It is made at its end, when it is known
 * whether it is worth one: of those that were brief, a parent has only so many.
 */
export class ComponentSpans {
  readonly #open = new Map<string, OpenTransition>();

  constructor(
    private readonly tracer: Tracer,
    private readonly identity: string,
    private readonly briefMs: number,
    private readonly parentOf: (election: string | undefined) => OpenSpan | undefined,
  ) {}

  onStatus(event: ComponentStatusEvent): void {
    const { name, to, at } = event;
    const open = this.#open.get(name) ?? (to === 'failed' ? this.#begin('fail', event) : undefined);
    this.#open.delete(name);
    if (open !== undefined) this.#record(open, to, at, to === 'failed' ? { error: event.error } : undefined);
    if (to !== 'starting' && to !== 'stopping') return;
    const begun = this.#begin(to === 'starting' ? 'start' : 'stop', event);
    if (begun !== undefined) this.#open.set(name, begun);
  }

  /** Never throws: the spans that are left must be ended too. */
  endAll(outcome: string, at: number): void {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const it of open) {
      try {
        this.#record(it, outcome, at);
      } catch (error) {
        diag.error('nestjs-lifecycle: a span processor threw', error);
      }
    }
  }

  #begin(what: Transition, event: ComponentStatusEvent): OpenTransition | undefined {
    const parent = this.parentOf(event.election);
    // Thousands start at once: where the boot is not recorded, nothing is made for any of them.
    return parent?.recording === false ? undefined : { what, event, parent };
  }

  #record({ what, event, parent }: OpenTransition, outcome: string, at: number, failure?: { error: unknown }): void {
    const isBrief = failure === undefined && at - event.at < this.briefMs;
    if (isBrief && parent?.admitsBrief() === false) return;
    const attributes = attributesOf(event, this.identity);
    const span = new OpenSpan(this.tracer, { name: `${what} ${event.name}`, at: event.at, attributes, parent });
    if (failure !== undefined) span.fail(failure.error, at);
    span.end(outcome, at);
  }
}

function attributesOf({ name, election, criticality, restarts }: ComponentStatusEvent, identity: string): Attributes {
  const attributes: Attributes = {
    'lifecycle.component': name,
    'lifecycle.criticality': criticality,
    'lifecycle.restarts': restarts,
    'lifecycle.identity': identity,
  };
  if (election !== undefined) attributes['lifecycle.election'] = election;
  return attributes;
}
