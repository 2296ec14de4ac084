import type { Tracer } from '@opentelemetry/api';
import { errorFields } from '../../core/error-fields.js';
import type { LeadershipAcquiredEvent, LeadershipLostEvent } from '../../core/lifecycle-events.js';
import type { TermProgress } from '../../core/lifecycle-observer.js';
import { OpenSpan } from './open-span.js';

interface TermSpan {
  readonly fencingToken: bigint;
  readonly span: OpenSpan;
}

/** A span per term, from acquired to settled: at most one open per election. What belongs to no open term is passed over. */
export class TermSpans {
  readonly #open = new Map<string, TermSpan>();

  constructor(
    private readonly tracer: Tracer,
    private readonly briefLimit: number,
  ) {}

  /** The term of an election that is under way here, or settles. */
  of(election: string): OpenSpan | undefined {
    return this.#open.get(election)?.span;
  }

  acquired({ election, identity, fencingToken, at }: LeadershipAcquiredEvent): void {
    this.#end(election, 'superseded', at);
    const attributes = {
      'lifecycle.election': election,
      'lifecycle.fencing_token': String(fencingToken),
      'lifecycle.identity': identity,
    };
    const span = new OpenSpan(this.tracer, { name: `term ${election}`, at, attributes, briefLimit: this.briefLimit });
    this.#open.set(election, { fencingToken, span });
  }

  lost({ election, fencingToken, reason, voluntary, at }: LeadershipLostEvent): void {
    const span = this.#find(election, fencingToken);
    if (span?.recording !== true) return;
    const { message } = errorFields(reason);
    span.event('lost', at, { 'lifecycle.reason': message, 'lifecycle.voluntary': voluntary });
    if (!voluntary) span.fail(reason, at);
  }

  progress({ stage, election, fencingToken, at }: TermProgress): void {
    const span = this.#find(election, fencingToken);
    if (span === undefined) return;
    if (stage === 'started') span.event('started', at);
    else this.#end(election, 'settled', at);
  }

  endAll(outcome: string, at: number): void {
    for (const election of [...this.#open.keys()]) this.#end(election, outcome, at);
  }

  #find(election: string, fencingToken: bigint): OpenSpan | undefined {
    const open = this.#open.get(election);
    return open?.fencingToken === fencingToken ? open.span : undefined;
  }

  #end(election: string, outcome: string, at: number): void {
    const open = this.#open.get(election);
    this.#open.delete(election);
    open?.span.end(outcome, at);
  }
}
