import type { HarnessRecord, ReplicaRecord } from '../records.js';
import { LagTable } from './lag-table.js';
import { labelOf, type Nanos, type TermTrace, type Violation } from './term-trace.js';

type Of<K extends HarnessRecord['k']> = Extract<HarnessRecord, { readonly k: K }>;

/** A change of who leads, as some process saw it. */
export interface Transition {
  readonly at: Nanos;
  readonly who: string;
  readonly what: string;
}

export const HARNESS = 'harness';

/**
 * What is kept of the records of a run: a few lines for each term and fault, whatever its length. Records of one process
 * come in the order in which it wrote them, those of different processes in any order.
 */
export class Evidence {
  readonly lags = new LagTable();
  readonly transitions: Transition[] = [];
  /** Seen at once from the order of one process's records. */
  readonly violations: Violation[] = [];
  readonly healed: Of<'healed'>[] = [];
  readonly quiet: Of<'quiet'>[] = [];
  readonly taken: Of<'taken'>[] = [];
  readonly refused: Of<'refused'>[] = [];
  readonly signals: Of<'signal'>[] = [];
  readonly exits: Of<'exit'>[] = [];
  readonly faults: Of<'fault'>[] = [];
  readonly faultsOver: Of<'fault-over'>[] = [];
  readonly probes: (Extract<ReplicaRecord, { readonly k: 'probe' }> & { readonly who: string })[] = [];
  readonly closing = new Set<string>();
  effects = 0;
  readonly #terms = new Map<string, TermTrace>();
  /** By process and election: whether the last event was "acquired". */
  readonly #acquired = new Map<string, boolean>();
  readonly #running = new Set<string>();

  get terms(): TermTrace[] {
    return [...this.#terms.values()];
  }

  addReplica(who: string, record: ReplicaRecord): void {
    const at = BigInt(record.t);
    switch (record.k) {
      case 'led':
      case 'effect':
        this.#noteSeen(this.#term(who, record), at, record.k);
        break;
      case 'elected':
      case 'ended':
      case 'working':
      case 'settled':
        this.#term(who, record)[record.k] ??= at;
        if (record.k === 'elected' || record.k === 'ended') this.#noteTransition(who, at, record);
        break;
      case 'acquired':
      case 'lost':
        this.#noteEvent(who, at, record);
        break;
      case 'report':
        if (record.operation === 'stop') this.#noteOverrun(who, record.e);
        break;
      case 'status':
        this.#noteStatus(who, at, record);
        break;
      case 'lag':
        this.lags.add(who, at, BigInt(record.until));
        break;
      case 'trouble':
        this.violations.push({ check: record.what, detail: `${who}: ${record.message}`, at });
        break;
      case 'probe':
        // At shutdown readiness has to fail.
        if (!this.closing.has(who)) this.probes.push({ ...record, who });
        break;
      case 'closing':
        this.closing.add(who);
        break;
      case 'boot':
      case 'stage':
      case 'closed':
        break;
    }
  }

  addHarness(record: HarnessRecord): void {
    const at = BigInt(record.t);
    switch (record.k) {
      case 'lag':
        this.lags.add(HARNESS, at, BigInt(record.until));
        break;
      case 'fault':
        this.faults.push(record);
        break;
      case 'fault-over':
        this.faultsOver.push(record);
        break;
      case 'healed':
        this.healed.push(record);
        break;
      case 'quiet':
        this.quiet.push(record);
        break;
      case 'taken':
        this.taken.push(record);
        break;
      case 'refused':
        this.refused.push(record);
        break;
      case 'signal':
        this.signals.push(record);
        break;
      case 'exit':
        this.exits.push(record);
        break;
      case 'count':
        this.effects = record.effects;
        break;
      case 'finding':
        this.violations.push({ check: record.check, detail: record.detail, at });
        break;
    }
  }

  #term(who: string, { e, token }: { readonly e: string; readonly token: string }): TermTrace {
    const key = `${e} ${token} ${who}`;
    const known = this.#terms.get(key);
    if (known !== undefined) return known;
    const term = { election: e, token: BigInt(token), who };
    this.#terms.set(key, term);
    return term;
  }

  #noteSeen(term: TermTrace, at: Nanos, kind: 'led' | 'effect'): void {
    if (term.ended !== undefined && at > term.ended && term.outlived !== true) {
      term.outlived = true;
      const check = kind === 'led' ? 'leader-after-end' : 'effect-after-end';
      const detail = `${labelOf(term)}, ${at - term.ended} ns after its term had ended`;
      this.violations.push({ check, detail, at });
    }
    term.firstSeen ??= at;
    term.lastSeen = at;
  }

  #noteTransition(who: string, at: Nanos, { k, e, token }: { k: string; e: string; token: string }): void {
    this.transitions.push({ at, who, what: `${k} ${e} ${token}` });
  }

  #noteEvent(who: string, at: Nanos, record: Extract<ReplicaRecord, { readonly k: 'acquired' | 'lost' }>): void {
    const key = `${who} ${record.e}`;
    const isAcquired = record.k === 'acquired';
    if ((this.#acquired.get(key) ?? false) === isAcquired) {
      const detail = `${who}: "${record.k}" twice in a row in ${record.e}, token ${record.token}`;
      this.violations.push({ check: 'alternation', detail, at });
    }
    this.#acquired.set(key, isAcquired);
    if (record.k === 'lost') this.#term(who, record).voluntary = record.voluntary;
    this.#noteTransition(who, at, record);
  }

  #noteOverrun(who: string, election: string): void {
    // The one whose work is under way, which is the last one: a process does not campaign before that has settled.
    const last = this.terms.findLast((it) => it.who === who && it.election === election && it.working !== undefined);
    if (last !== undefined) last.overrun = true;
  }

  #noteStatus(who: string, at: Nanos, record: Extract<ReplicaRecord, { readonly k: 'status' }>): void {
    const { component, from, to } = record;
    if (component !== 'heartbeat') {
      if (from !== 'pending') this.transitions.push({ at, who, what: `${component} ${from} → ${to}` });
      return;
    }
    if (this.#running.has(who) && !this.closing.has(who)) {
      const detail = `${who}: the all-replica component went ${from} → ${to} without a shutdown`;
      this.violations.push({ check: 'all-replica-stopped', detail, at });
    }
    if (to === 'running') this.#running.add(who);
  }
}
