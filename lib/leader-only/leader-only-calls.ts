import { guarded, silentLogger, type LifecycleLogger } from '../core/logger.js';
import type { Leadership } from '../leadership/leadership.js';
import type { MarkedMethod } from './marked-method.js';
import { NotLeaderException } from './not-leader.exception.js';

/** How often a method marked with `@LeaderOnly()` was called in this app. @publicApi */
export interface LeaderOnlyCount {
  /** Class and method, such as `Reports.nightly`. */
  readonly method: string;
  readonly election: string;
  /** Calls that ran, those under way included. */
  readonly ran: number;
  /** Calls that did not, since this replica did not lead. */
  readonly skipped: number;
}

/** Counters of one method. */
interface Tally {
  ran: number;
  skipped: number;
  skipping: boolean;
}

/**
 * Decides for one app which calls of methods marked with `@LeaderOnly()` run, and counts them. Inject it to read the
 * counts.
 *
 * @publicApi
 */
export class LeaderOnlyCalls {
  #leadership: Leadership | undefined;
  #logger = guarded(silentLogger);
  readonly #tallies = new Map<MarkedMethod, Tally>();

  /** Of each marked method that a provider of the app has, or that was called; from the start of the app. */
  counts(): LeaderOnlyCount[] {
    return Array.from(this.#tallies, ([{ name, election }, { ran, skipped }]) => ({
      method: name,
      election,
      ran,
      skipped,
    }));
  }

  /** Before this everything is skipped. @internal */
  connect(leadership: Leadership, logger: LifecycleLogger): void {
    this.#leadership = leadership;
    this.#logger = guarded(logger);
  }

  /** Whether the app has been told to stop, so that nothing runs here any more. @internal */
  get stopped(): boolean {
    return this.#leadership?.stopped === true;
  }

  /** @internal */
  expect(methods: readonly MarkedMethod[]): void {
    for (const method of methods) this.#tallyOf(method);
  }

  /** Elections that marked methods name. @internal */
  elections(): string[] {
    return [...new Set(Array.from(this.#tallies.keys(), (it) => it.election))];
  }

  /**
   * Calls a marked method as part of the term, or skips it.
   *
   * @throws NotLeaderException instead of skipping a handler
   * @internal
   */
  call(method: MarkedMethod, body: () => unknown): unknown {
    const calls = this.#leadership?.callsUnder(method.election);
    if (calls === undefined) return this.#skip(method);
    const tally = this.#tallyOf(method);
    tally.ran++;
    tally.skipping = false;
    return calls.run(method.name, body);
  }

  /** Counts the call of a handler as skipped, and says why, unless this replica leads. @internal */
  refusal(method: MarkedMethod): NotLeaderException | undefined {
    if (this.#leadership?.callsUnder(method.election) !== undefined) return undefined;
    this.#countSkipped(method);
    return this.#notLeader(method);
  }

  #skip(method: MarkedMethod): unknown {
    this.#countSkipped(method);
    const refusal = method.isHandler ? this.#notLeader(method) : undefined;
    if (method.returnsPromise) return refusal ? Promise.reject(refusal) : Promise.resolve();
    if (refusal) throw refusal;
    return undefined;
  }

  #notLeader({ election, retryAfterMs }: MarkedMethod): NotLeaderException {
    const address = this.#leadership?.leader(election)?.address;
    return new NotLeaderException({ election, retryAfterMs, ...(address !== undefined && { address }) });
  }

  /** One line for the first of several in a row: followers skip each tick, for as long as they follow. */
  #countSkipped(method: MarkedMethod): void {
    const tally = this.#tallyOf(method);
    tally.skipped++;
    if (tally.skipping) return;
    tally.skipping = true;
    const { name, election } = method;
    const message = `${name}() is skipped while this replica does not lead election "${election}"`;
    this.#logger.debug({ message, event: 'lifecycle.leader-only.skipped', election, method: name });
  }

  #tallyOf(method: MarkedMethod): Tally {
    let tally = this.#tallies.get(method);
    if (tally === undefined) {
      tally = { ran: 0, skipped: 0, skipping: false };
      this.#tallies.set(method, tally);
    }
    return tally;
  }
}
