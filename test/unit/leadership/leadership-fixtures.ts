import type { Component, ComponentOptions, StartContext } from '../../../lib/core/component.js';
import { Deferred } from '../../../lib/core/deferred.js';
import { ElectionTerm } from '../../../lib/core/election-term.js';
import type { Candidate, Elector, LeadershipTerm } from '../../../lib/core/elector.js';
import { EventFanout } from '../../../lib/core/event-fanout.js';
import type { LifecycleEventMap } from '../../../lib/core/lifecycle-events.js';
import type { LifecycleLogger } from '../../../lib/core/logger.js';
import { LoggingSink } from '../../../lib/core/logging-sink.js';
import { EventBus } from '../../../lib/events/event-bus.js';
import { Leadership } from '../../../lib/leadership/leadership.js';
import { Registry } from '../../../lib/registry/registry.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

/** Keeps what is logged, by level. */
export class LogRecorder implements LifecycleLogger {
  readonly lines: string[] = [];
  log = (message: string): void => void this.lines.push(`log ${message}`);
  warn = (message: string): void => void this.lines.push(`warn ${message}`);
  error = (message: string): void => void this.lines.push(`error ${message}`);

  matching(pattern: RegExp): string[] {
    return this.lines.filter((line) => pattern.test(line));
  }
}

export interface ReplicaOptions {
  readonly elector: Elector;
  readonly clock?: ManualClock;
  readonly identity?: string;
  readonly random?: () => number;
}

/** What an app is made of as far as leadership is concerned, on virtual time. */
export class Replica {
  readonly clock: ManualClock;
  readonly logger = new LogRecorder();
  readonly bus = new EventBus();
  readonly registry: Registry;
  readonly leadership: Leadership;
  /** Gained and lost as published, paused or not: `+token`, `-token`; other elections than the default one by name. */
  readonly terms: string[] = [];
  /** The payloads of `lost`, as published. */
  readonly losses: LifecycleEventMap['lifecycle.leadership.lost'][] = [];
  readonly #lifetime = new AbortController();

  constructor({ elector, clock = new ManualClock(), identity = 'me', random = () => 1 }: ReplicaOptions) {
    this.clock = clock;
    const events = new EventFanout(this.bus);
    this.registry = new Registry({ events, clock, random }).withLogger(this.logger);
    const sink = new LoggingSink(events, this.logger);
    const { registry, logger } = this;
    this.leadership = new Leadership({ elector, registry, events: sink, clock, logger, identity, random });
    events.tap((name, payload) => this.#onEvent(name, payload));
  }

  /** Starts what runs on every replica, then stands for election. */
  async boot(...elections: string[]): Promise<this> {
    await this.registry.startAll(this.#lifetime.signal, false);
    this.leadership.start(elections.length > 0 ? elections : ['default']);
    await this.clock.settle();
    return this;
  }

  statusOf(name: string): string | undefined {
    return this.registry.status()[name]?.status;
  }

  #onEvent(name: string, payload: unknown): void {
    const { election, fencingToken } = payload as { election?: string; fencingToken?: bigint };
    const text = election === 'default' ? '' : `${election} `;
    if (name === 'lifecycle.leadership.acquired') this.terms.push(`${text}+${fencingToken}`);
    if (name !== 'lifecycle.leadership.lost') return;
    this.terms.push(`${text}-${fencingToken}`);
    this.losses.push(payload as LifecycleEventMap['lifecycle.leadership.lost']);
  }
}

/** A run-style leader-only component under the test's control. */
export class Worker implements Component {
  readonly contexts: StartContext[] = [];
  /** Runs that have not settled. */
  running = 0;
  /** The most there ever were at once. */
  maxRunning = 0;
  /** Calls of `start`, so to say: entered runs. */
  get starts(): number {
    return this.contexts.length;
  }
  /** Called in each run, within it. */
  onStart: (context: StartContext) => void = () => undefined;
  /** What a run waits for after its signal was aborted. */
  settling: Promise<void> = Promise.resolve();
  #broken = new Deferred<never>();

  constructor(readonly name = 'worker') {}

  async start(context: StartContext): Promise<void> {
    this.contexts.push(context);
    this.#broken = new Deferred();
    this.maxRunning = Math.max(this.maxRunning, ++this.running);
    try {
      this.onStart(context);
      await Promise.race([aborted(context.signal), this.#broken.promise]);
      await this.settling;
    } finally {
      this.running--;
    }
  }

  /** Makes the run that is under way reject. */
  break(error: unknown): void {
    this.#broken.reject(error);
  }
}

/** A worker that is registered as leader-only. */
export function leaderOnly(replica: Replica, options: ComponentOptions & { readonly worker?: Worker } = {}): Worker {
  const { worker = new Worker(), ...managed } = options;
  replica.registry.register(worker, { leaderOnly: true, ...managed });
  return worker;
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** One call of `campaign()` as a scripted elector sees it. */
export interface Call {
  readonly election: string;
  readonly candidate: Candidate;
  readonly signal: AbortSignal;
  /** 1 for the first call. */
  readonly number: number;
}

/** An elector that does what the test wrote down, right or wrong. */
export class ScriptedElector implements Elector {
  readonly calls: Call[] = [];
  #lastToken = 0n;

  constructor(private readonly script: (call: Call) => Promise<void>) {}

  /** Not async: what the script throws at once is thrown at once. */
  campaign(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    const call = { election, candidate, signal, number: this.calls.length + 1 };
    this.calls.push(call);
    return this.script(call);
  }

  term(election = 'default'): ElectionTerm {
    return new ElectionTerm({ election, identity: 'me', fencingToken: ++this.#lastToken });
  }
}

/** A term with a deadline that nobody watches: it turns invalid without its signal being aborted. */
export class TermWithDeadline implements LeadershipTerm {
  readonly election = 'default';
  readonly identity = 'me';
  readonly signal = new AbortController().signal;
  overdue = false;

  constructor(readonly fencingToken = 1n) {}

  isValid = (): boolean => !this.overdue;
  assertValid = (): void => {
    if (this.overdue) throw new Error('overdue');
  };
}

/** Leads until told to end, as an elector should. */
export async function lead({ candidate, signal }: Call, term: ElectionTerm): Promise<void> {
  signal.addEventListener('abort', () => term.end('told to'));
  await candidate.onElected(term);
}

export const errorOf = (replica: Replica): unknown => replica.leadership.elections()[0]?.error;
