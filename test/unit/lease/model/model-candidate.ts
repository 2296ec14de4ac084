import type { Candidate, ElectorReport, LeaderInfo, LeadershipTerm } from '../../../../lib/core/elector.js';
import type { Host } from './host.js';
import type { Setting } from './setting.js';

/** How the work of terms behaves. */
export interface Temper {
  /** Chance that it ends by itself, resolved or rejected. */
  resigns: number;
  /** Chance that it does not settle in the time that it has. */
  overruns: number;
  /** True time from which on all work settles quickly, and none ends by itself. */
  readonly calmAt: number;
}

export type Operation = 'read' | 'acquire' | 'renew' | 'release' | 'rehearse';

/** More requests than these within half a retry pause are a tight loop. */
const MOST_AT_ONCE = 8;

/**
 * One candidate and its work: does something every now and then while its term is valid, and settles some time after the
 * term has ended, or gives up by itself. Keeps what the checks need to know.
 */
export class ModelCandidate implements Candidate {
  /** Terms that were begun. */
  terms = 0;
  readonly requests: Record<Operation, number> = { read: 0, acquire: 0, renew: 0, release: 0, rehearse: 0 };
  /** When the last acknowledged request was sent, on the host's clock that never stands still. */
  acknowledgedAt = 0;
  /** When the term ended, on the same clock. */
  endedAt = 0;
  /** When the lease could not be kept, through no fault of this replica, on the same clock. */
  troubledAt = Number.NEGATIVE_INFINITY;
  term: LeadershipTerm | undefined;
  /** The work of the current term has not settled. */
  isWorking = false;
  isCampaigning = false;
  leader: LeaderInfo | undefined;
  readonly #sentAt: number[] = [];

  constructor(
    readonly name: string,
    readonly identity: string,
    readonly host: Host,
    private readonly setting: Setting,
  ) {}

  async onElected(term: LeadershipTerm): Promise<void> {
    const { checker } = this.setting;
    checker.onTermBegins(this, term);
    this.terms++;
    this.term = term;
    this.isWorking = true;
    const fails = await this.#work(term);
    checker.onSettled(this, term);
    this.isWorking = false;
    if (fails) throw new Error('the work failed');
  }

  onLeaderObserved(leader: LeaderInfo | undefined): void {
    this.leader = leader;
  }

  onReport(report: ElectorReport): void {
    this.setting.checker.onReport(this, report);
    if (this.setting.random.chance(0.02)) throw new Error('nobody listens');
  }

  onTrouble(): void {
    this.troubledAt = this.host.bootNow();
  }

  onSent(operation: Operation): void {
    const { checker, conditions } = this.setting;
    this.requests[operation]++;
    this.#sentAt.push(this.host.now());
    if (this.#sentAt.length <= MOST_AT_ONCE) return;
    const spanMs = this.host.now() - this.#sentAt.shift()!;
    if (spanMs < conditions.timing.retryMs / 2) checker.violate(`${this.name} sends requests in a tight loop`);
  }

  /** Returns whether to end with an error. */
  #work(term: LeadershipTerm): Promise<boolean> {
    const { random, conditions, world } = this.setting;
    const { temper, timing } = conditions;
    return new Promise((resolve) => {
      const stopActing = this.#act(term);
      const settle = (fails: boolean) => {
        stopActing();
        resolve(fails);
      };
      const resignsInMs = random.next() * 2 * timing.leaseMs;
      const resigns = random.chance(temper.resigns) && resignsInMs < temper.calmAt - world.now;
      const stay = resigns ? this.host.setTimer(() => settle(random.chance(0.5)), resignsInMs) : () => undefined;
      const onEnd = () => {
        stay();
        this.host.setTimer(() => settle(false), this.#settlesInMs());
      };
      term.signal.addEventListener('abort', onEnd, { once: true });
    });
  }

  #settlesInMs(): number {
    const { random, conditions, world } = this.setting;
    const { stopBudgetMs, leaseMs } = conditions.timing;
    const plan = random.chance(conditions.temper.overruns)
      ? stopBudgetMs + random.next() * 2 * leaseMs
      : random.pick([random.int(0, 20), random.next() * stopBudgetMs, 0.99 * stopBudgetMs]);
    return Math.min(plan, Math.max(conditions.calmAt - world.now, 20));
  }

  #act(term: LeadershipTerm): () => void {
    const { checker, conditions, random } = this.setting;
    let cancel: () => void;
    const act = () => {
      if (term.isValid()) checker.onSideEffect(this, term);
      cancel = this.host.setTimer(act, conditions.timing.leaseMs * (0.1 + 0.2 * random.next()));
    };
    act();
    return () => cancel();
  }
}
