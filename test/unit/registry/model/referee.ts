import type { ElectionTerm } from '../../../../lib/core/election-term.js';
import type { ComponentOptions } from '../../../../lib/core/component.js';
import type { ComponentStatusEvent } from '../../../../lib/core/lifecycle-events.js';
import type { Status } from '../../../../lib/core/status.js';
import type { ManualClock } from '../../../../lib/testing/manual-clock.js';
import type { ModelComponent, ModelRun } from './model-component.js';

/** The design's table, written down a second time. */
const TABLE: Readonly<Record<Status, readonly Status[]>> = {
  pending: ['starting', 'standby', 'stopped'],
  standby: ['starting', 'stopped'],
  starting: ['running', 'stopping', 'failed', 'stopped'],
  running: ['stopping', 'stopped', 'failed'],
  stopping: ['stopped', 'standby', 'failed', 'starting'],
  failed: ['starting', 'standby', 'stopped'],
  stopped: ['starting', 'standby'],
};

export interface Member {
  readonly component: ModelComponent;
  readonly options: ComponentOptions & { enabled: boolean };
  /** Enabled ones that it waits for, disabled ones bridged. */
  readonly dependencies: readonly Member[];
  status: Status;
  /** Its last run finished by itself. */
  finished: boolean;
}

/** Watches what happens, and takes down what a registry has promised not to do. */
export class Referee {
  readonly members = new Map<string, Member>();
  /** The term that was begun last. */
  term: ElectionTerm | undefined;
  /** When the total budgets of the stops so far were used up. */
  readonly deadlines: number[] = [];
  readonly #trace: string[] = [];
  readonly #violations: string[] = [];

  constructor(
    private readonly clock: ManualClock,
    private readonly stopTimeoutMs: number,
  ) {}

  /** What happened, for the failing seed. */
  get trace(): string {
    return this.#trace.join('\n');
  }

  onEntered(run: ModelRun): void {
    const { component, context } = run;
    const member = this.members.get(component.name)!;
    this.say(`  ${component.name}.start()`);
    if (component.unsettled.length > 0) this.violate(`${component.name} was started while it still ran`);
    if (context.signal.aborted) this.violate(`${component.name} was started with an aborted signal`);
    if (context.term !== undefined && context.term !== this.term) this.violate(`${component.name}: an old term`);
    if (context.term?.signal.aborted === true) this.violate(`${component.name} was started outside of a term`);
    if (member.options.leaderOnly && context.term === undefined) this.violate(`${component.name} got no term`);
    for (const dependency of member.dependencies) {
      if (dependency.status === 'running' || (dependency.status === 'stopped' && dependency.finished)) continue;
      this.violate(`${component.name} was started while its dependency ${dependency.component.name} was not ready`);
    }
  }

  onToldToEnd(run: ModelRun): void {
    const { component, context } = run;
    this.say(`  ${component.name} is told to end: ${String(context.signal.reason)}`);
    if (!/application stops|does not lead/.test(String(context.signal.reason))) return;
    const now = this.clock.now();
    for (const dependent of this.members.values()) {
      if (!dependent.dependencies.some((it) => it.component === component)) continue;
      for (const { toldAt } of dependent.component.unsettled) {
        // Past the total budget each still has its turn, of one millisecond.
        const isUsedUp = (deadline: number) => deadline <= now && deadline >= (toldAt ?? now) - this.members.size;
        const hadItsTime = toldAt !== undefined && now - toldAt >= this.stopTimeoutMs;
        if (hadItsTime || (toldAt !== undefined && this.deadlines.some(isUsedUp))) continue;
        this.violate(`${component.name} was told to end before its dependent ${dependent.component.name} had settled`);
      }
    }
  }

  onStatus({ name, from, to }: ComponentStatusEvent): void {
    const member = this.members.get(name)!;
    this.say(`  ${name}: ${from} -> ${to}`);
    if (member.status !== from) this.violate(`${name} went from ${from} but was ${member.status}`);
    if (!TABLE[from].includes(to)) this.violate(`${name} went from ${from} to ${to}`);
    member.status = to;
    if (to !== 'standby') member.finished = to === 'stopped' && (from === 'running' || from === 'starting');
  }

  /** @throws Error with all that was violated so far */
  check(): void {
    for (const { component } of this.members.values()) {
      for (const run of component.runs) {
        if (run.stops > 1) this.violate(`${component.name} was stopped ${run.stops} times in one run`);
      }
    }
    if (this.#violations.length > 0) throw new Error(this.#violations.join('\n'));
  }

  violate(what: string): void {
    this.say(`VIOLATION: ${what}`);
    this.#violations.push(what);
  }

  say(line: string): void {
    this.#trace.push(`${String(this.clock.now()).padStart(6)} ${line}`);
  }
}
