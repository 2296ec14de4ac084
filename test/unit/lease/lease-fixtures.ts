import type { Candidate, ElectorReport, LeaderInfo, LeadershipTerm } from '../../../lib/core/elector.js';
import { LeaseElector, type LeaseElectorOptions } from '../../../lib/core/lease/lease-elector.js';
import type {
  AcquireResult,
  LeaseClaim,
  LeaseRecord,
  LeaseStore,
  LeaseToRelease,
  OwnLease,
  ReleaseNotice,
  RenewResult,
} from '../../../lib/core/lease/lease-store.js';
import { resolveLeaseTiming } from '../../../lib/core/lease/lease-timing.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { gate } from '../../fixtures/until.js';

/** L 8000, R 2000, T 1500, S 1500, M 800, D 5700, longest retry pause 500. */
export const TIMING = resolveLeaseTiming({}, 'the test');

/** A manual clock whose wall clock can be set, and whose machine can sleep. */
export class TestClock extends ManualClock {
  wallOffsetMs = 0;
  sleptMs = 0;

  constructor() {
    super(1_000_000);
  }

  override wallNow(): number {
    return super.wallNow() + this.wallOffsetMs + this.sleptMs;
  }

  bootNow(): number {
    return this.now() + this.sleptMs;
  }
}

export type Operation = 'read' | 'acquire' | 'renew' | 'release' | 'rehearse';
/** What becomes of one request: `perform` is what the engine does, when and if it is called. */
export type Plan = (perform: () => unknown, signal: AbortSignal) => unknown;

export const hang: Plan = () => new Promise(() => undefined);
export const commitThenHang: Plan = (perform) => {
  perform();
  return new Promise(() => undefined);
};
export const fail =
  (error: unknown = new Error('ECONNRESET')): Plan =>
  () =>
    Promise.reject(error);
export const answer =
  (value: unknown): Plan =>
  () =>
    Promise.resolve(value);

export interface Request {
  readonly operation: Operation;
  readonly at: number;
  readonly signal: AbortSignal;
  readonly argument: LeaseClaim | OwnLease | LeaseToRelease | undefined;
}

/** A lease in memory that runs out by an engine's clock, and whose answers a test decides. At first nobody leads. */
export class TestStore implements LeaseStore {
  record: LeaseRecord = { kind: 'released', token: 100n };
  expiresAt = 0;
  readonly requests: Request[] = [];
  readonly hints: ((released?: ReleaseNotice) => void)[] = [];
  readonly #plans: Record<Operation, Plan[]> = {
    read: [],
    acquire: [],
    renew: [],
    release: [],
    rehearse: [],
  };
  readonly #always: Partial<Record<Operation, Plan>> = {};

  constructor(private readonly clock: ManualClock) {}

  /** The next requests of this kind go like this, one after the other. */
  next(operation: Operation, ...plans: Plan[]): void {
    this.#plans[operation].push(...plans);
  }

  /** All requests of this kind go like this from now on; normally again without a plan. */
  always(operation: Operation, plan?: Plan): void {
    if (plan === undefined) delete this.#always[operation];
    else this.#always[operation] = plan;
  }

  /** Keeps the next request of this kind back until the gate is opened. */
  hold(operation: Operation): () => void {
    const held = gate();
    this.next(operation, (perform) => held.promise.then(perform));
    return () => held.open();
  }

  /** The engine does what the next request of this kind asks for at once; its answer is kept back until the gate is opened. */
  holdAnswer(operation: Operation): () => void {
    const held = gate();
    this.next(operation, (perform) => {
      const result = perform();
      return held.promise.then(() => result);
    });
    return () => held.open();
  }

  sent(operation: Operation): number[] {
    return this.requests.filter((it) => it.operation === operation).map((it) => it.at);
  }

  count(operation: Operation): number {
    return this.sent(operation).length;
  }

  last(operation: Operation): Request {
    return this.requests.findLast((it) => it.operation === operation)!;
  }

  /** Somebody else holds it, until the engine's clock says otherwise. */
  heldBy(holder: string, token: bigint, remainingMs = TIMING.leaseMs): void {
    this.record = { kind: 'held', holder, identity: holder, leaseMs: TIMING.leaseMs, token };
    this.expiresAt = this.clock.now() + remainingMs;
  }

  hint(released?: ReleaseNotice): void {
    for (const hint of [...this.hints]) hint(released);
  }

  rehearse(_election: string, signal: AbortSignal): Promise<void> {
    return this.#send('rehearse', undefined, signal, () => undefined);
  }

  read(_election: string, signal: AbortSignal): Promise<LeaseRecord> {
    return this.#send('read', undefined, signal, () => this.#now());
  }

  acquire(claim: LeaseClaim, signal: AbortSignal): Promise<AcquireResult> {
    return this.#send('acquire', claim, signal, () => this.take(claim));
  }

  renew(lease: OwnLease, signal: AbortSignal): Promise<RenewResult> {
    return this.#send('renew', lease, signal, () => {
      const record = this.#now();
      if (record.kind !== 'held' || record.holder !== lease.holder) return { renewed: false };
      this.expiresAt = this.clock.now() + lease.leaseMs;
      return { renewed: true };
    });
  }

  release(lease: LeaseToRelease, signal: AbortSignal): Promise<void> {
    return this.#send('release', lease, signal, () => {
      const { record } = this;
      if (record.kind !== 'held' || record.holder !== lease.holder) return;
      this.record = { kind: 'released', ...(record.token !== undefined && { token: record.token }) };
      this.hint();
    });
  }

  watch(_election: string, onHint: (released?: ReleaseNotice) => void, signal: AbortSignal): Promise<void> {
    this.hints.push(onHint);
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  }

  take(claim: LeaseClaim): AcquireResult {
    const record = this.#now();
    if (print(record) !== print(claim.basis)) return { won: false, record };
    const { election: _election, basis: _basis, tokenAbove, ...holder } = claim;
    const last = record.kind === 'absent' ? 100n : (record.token ?? 0n);
    const token = (last > tokenAbove ? last : tokenAbove) + 1n;
    this.record = { kind: 'held', ...holder, token };
    this.expiresAt = this.clock.now() + claim.leaseMs;
    return { won: true, token };
  }

  #now(): LeaseRecord {
    const { record } = this;
    if (record.kind !== 'held') return record;
    const remainingMs = this.expiresAt - this.clock.now();
    return remainingMs > 0 ? { ...record, remainingMs } : { kind: 'vacant', token: record.token! };
  }

  #send<T>(operation: Operation, argument: Request['argument'], signal: AbortSignal, perform: () => T): Promise<T> {
    this.requests.push({ operation, at: this.clock.now(), signal, argument });
    const plan = this.#plans[operation].shift() ?? this.#always[operation];
    return (plan === undefined ? Promise.resolve().then(perform) : plan(perform, signal)) as Promise<T>;
  }
}

function print(record: LeaseRecord): string {
  if (record.kind === 'absent') return 'absent';
  return `${record.kind} ${record.token} ${record.kind === 'held' ? record.holder : ''}`;
}

/** Keeps what it is told; its work settles when a test says so. */
export class TestCandidate implements Candidate {
  readonly identity: string;
  readonly terms: LeadershipTerm[] = [];
  readonly reports: ElectorReport[] = [];
  readonly leaders: (LeaderInfo | undefined)[] = [];
  /** What `onElected` does; by default it waits for `settle()`. */
  work: (term: LeadershipTerm) => Promise<void>;
  #settled = gate();

  constructor(identity = 'me') {
    this.identity = identity;
    this.work = () => this.#settled.promise;
  }

  get term(): LeadershipTerm {
    return this.terms.at(-1)!;
  }

  get leads(): boolean {
    return this.terms.at(-1)?.isValid() === true;
  }

  /** The work of the current term settles, and that of the next one waits again. */
  settle(): void {
    this.#settled.open();
    this.#settled = gate();
  }

  settlesOnAbort(): this {
    this.work = (term) => new Promise((resolve) => term.signal.addEventListener('abort', () => resolve()));
    return this;
  }

  onElected(term: LeadershipTerm): Promise<void> {
    this.terms.push(term);
    return this.work(term);
  }

  onLeaderObserved(leader: LeaderInfo | undefined): void {
    this.leaders.push(leader);
  }

  onReport(report: ElectorReport): void {
    this.reports.push(report);
  }

  errors(operation: string): unknown[] {
    return this.reports.flatMap((it) => (it.kind === 'error' && it.operation === operation ? [it.error] : []));
  }
}

/** One candidate in a campaign on a test store. */
export class Stand {
  readonly control = new AbortController();
  readonly elector: LeaseElector;
  ended = false;
  readonly done: Promise<void>;

  constructor(
    readonly clock: TestClock = new TestClock(),
    readonly store: TestStore = new TestStore(clock),
    readonly candidate: TestCandidate = new TestCandidate(),
    options: Partial<LeaseElectorOptions> = {},
  ) {
    let parts = 0;
    this.elector = new LeaseElector({
      store,
      timing: TIMING,
      clock,
      random: () => 0,
      randomPart: () => String(++parts),
      ...options,
    });
    this.done = this.elector.campaign('default', candidate, this.control.signal).finally(() => (this.ended = true));
  }

  static async leading(options: Partial<LeaseElectorOptions> = {}): Promise<Stand> {
    const clock = new TestClock();
    const stand = new Stand(clock, new TestStore(clock), new TestCandidate(), options);
    await clock.settle();
    return stand;
  }

  async end(): Promise<void> {
    this.control.abort();
    this.candidate.settle();
    await this.clock.settle();
  }
}
