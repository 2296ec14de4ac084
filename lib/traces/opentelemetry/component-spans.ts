import type { Attributes, Tracer } from '@opentelemetry/api';
import type { ComponentStatusEvent } from '../../core/lifecycle-events.js';
import { OpenSpan } from './open-span.js';

/** A span per start and per stop of a component: at most one open per component. */
export class ComponentSpans {
  readonly #open = new Map<string, OpenSpan>();

  constructor(
    private readonly tracer: Tracer,
    private readonly identity: string,
    private readonly parentOf: (election: string | undefined) => OpenSpan | undefined,
  ) {}

  onStatus(event: ComponentStatusEvent): void {
    const { name, to, at, error } = event;
    const open = this.#open.get(name) ?? (to === 'failed' ? this.#begin('fail', event) : undefined);
    this.#open.delete(name);
    if (to === 'failed') open?.fail(error, at);
    open?.end(to, at);
    if (to !== 'starting' && to !== 'stopping') return;
    const begun = this.#begin(to === 'starting' ? 'start' : 'stop', event);
    if (begun !== undefined) this.#open.set(name, begun);
  }

  endAll(outcome: string, at: number): void {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const span of open) span.end(outcome, at);
  }

  #begin(what: 'start' | 'stop' | 'fail', event: ComponentStatusEvent): OpenSpan | undefined {
    const parent = this.parentOf(event.election);
    // Thousands start at once: where the boot is not recorded, nothing is made for any of them.
    if (parent?.recording === false) return undefined;
    const attributes = attributesOf(event, this.identity);
    const span = new OpenSpan(this.tracer, { name: `${what} ${event.name}`, at: event.at, attributes, parent });
    return span.recording ? span : undefined;
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
