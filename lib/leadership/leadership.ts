import { DEFAULT_ELECTION, type LeaderInfo, type LeadershipTerm } from '../core/elector.js';
import { SteppedDownError, UnknownElectionError } from '../core/errors.js';
import { assertDuration } from '../core/option-checks.js';
import { currentRunContext } from '../core/run-context.js';
import type { LeaderTrouble } from '../registry/component-host.js';
import { ElectionCoordinator } from './election-coordinator.js';
import type { ElectionSnapshot } from './election-snapshot.js';
import type { LeadershipOptions } from './leadership-options.js';
import type { TermCalls } from './term-calls.js';
import { Waiters } from './waiters.js';

/**
 * Whether, and under which term, this replica leads. Inject it to ask, to wait, or to hand over.
 *
 * @publicApi
 */
export class Leadership {
  readonly #coordinators = new Map<string, ElectionCoordinator>();
  #state: 'idle' | 'campaigning' | 'stopped' = 'idle';
  /** Those who ask before it is known which elections there are. */
  readonly #early = new Waiters<void>();
  #stopping: Promise<void> | undefined;

  /** @internal */
  constructor(private readonly options: LeadershipOptions) {
    options.registry.setLeadershipListener({
      onTrouble: (trouble) => this.#onTrouble(trouble),
      onLateComponent: (election) => this.#campaignFor(election),
    });
  }

  /** Who this replica is in the elections. */
  get identity(): string {
    return this.options.identity;
  }

  /**
   * Whether this replica leads now. Reads the term's deadline, so it is right even after the process was paused.
   *
   * @throws UnknownElectionError when this replica does not stand for the election
   */
  isLeader(election: string = DEFAULT_ELECTION): boolean {
    return this.term(election) !== undefined;
  }

  /**
   * The term under which this replica leads, while it does.
   *
   * @throws UnknownElectionError
   */
  term(election: string = DEFAULT_ELECTION): LeadershipTerm | undefined {
    return this.#coordinator(election)?.term;
  }

  /**
   * Who leads as far as this replica can see, itself included.
   *
   * @throws UnknownElectionError
   */
  leader(election: string = DEFAULT_ELECTION): LeaderInfo | undefined {
    return this.#coordinator(election)?.leader;
  }

  /**
   * The term that the calling code runs under: in code that a leader-only component's run, or a method marked with
   * `@LeaderOnly()`, called, at any depth. It may
   * have ended; ask it. Undefined everywhere else.
   */
  current(): LeadershipTerm | undefined {
    return currentRunContext()?.term;
  }

  /**
   * Gives the leadership up, so that another replica can lead: `isLeader()` is false as soon as it was called, and the
   * promise resolves when the work has settled and the lease is released. Called by that work itself, which would wait
   * for its own end, the promise resolves at once. Does nothing while this replica does not lead; while it is stepping
   * down already, it waits for the same release, and the longer cooldown counts.
   *
   * @param reason for the log, the event and the term's signal
   * @param options.cooldownMs how long this replica does not stand again, in milliseconds from the release. @default 0
   * @param options.election @default 'default'
   * @throws UnknownElectionError, InvalidOptionError
   */
  async stepDown(reason: string, options: { cooldownMs?: number; election?: string } = {}): Promise<void> {
    const { cooldownMs = 0, election = DEFAULT_ELECTION } = options;
    assertDuration('cooldownMs', cooldownMs, 'Leadership.stepDown()');
    await this.#coordinator(election)?.stepDown(reason, cooldownMs);
  }

  /**
   * Resolves with the term as soon as this replica leads: at once when it does already. Check the term before each
   * side effect; it may have ended by the time the caller goes on. May be called before the app has booted.
   *
   * @throws UnknownElectionError; the signal's reason when `signal` aborts first; SteppedDownError when the app stops
   */
  async whenLeader(election: string = DEFAULT_ELECTION, signal?: AbortSignal): Promise<LeadershipTerm> {
    signal?.throwIfAborted();
    if (this.#state === 'idle') await this.#early.wait(signal);
    const coordinator = this.#coordinator(election);
    if (coordinator === undefined) throw new SteppedDownError(election, 'the application stops');
    return coordinator.whenLeader(signal);
  }

  /** Every election that this replica stands for. */
  elections(): readonly ElectionSnapshot[] {
    return Array.from(this.#coordinators.values(), (it) => it.snapshot);
  }

  /** Whether `stop()` was called. @internal */
  get stopped(): boolean {
    return this.#state === 'stopped';
  }

  /**
   * Where calls run under the term of an election, while this replica leads it. An election that nobody has named before
   * is stood for from now on: a module may be loaded after the boot.
   *
   * @internal
   */
  callsUnder(election: string): TermCalls | undefined {
    const coordinator = this.#coordinators.get(election);
    if (coordinator === undefined) this.#campaignFor(election);
    return coordinator?.calls;
  }

  /** Stands for elections from now on. Nothing after the first call, and after `stop()`. @internal */
  start(elections: Iterable<string>): void {
    if (this.#state !== 'idle') return;
    this.#state = 'campaigning';
    for (const election of elections) this.#campaignFor(election);
    this.#early.resolve();
  }

  /** Hands everything over, for good. Resolves when all work has settled and all leases are released. @internal */
  stop(): Promise<void> {
    this.#state = 'stopped';
    this.#early.resolve();
    return (this.#stopping ??= this.#stopAll());
  }

  async #stopAll(): Promise<void> {
    await Promise.all(Array.from(this.#coordinators.values(), (it) => it.stop()));
  }

  /** Before the campaigns have begun, and after they have ended, nobody leads here, whatever the election is called. */
  #coordinator(election: string): ElectionCoordinator | undefined {
    const coordinator = this.#coordinators.get(election);
    if (coordinator === undefined && this.#state === 'campaigning') {
      throw new UnknownElectionError(election, [...this.#coordinators.keys()]);
    }
    return coordinator;
  }

  #campaignFor(election: string): void {
    if (this.#state !== 'campaigning' || this.#coordinators.has(election)) return;
    const coordinator = new ElectionCoordinator(election, this.options);
    this.#coordinators.set(election, coordinator);
    coordinator.start();
  }

  #onTrouble(trouble: LeaderTrouble): void {
    // Alone there is nobody who could do better: the component stays as it is, and health says so.
    if (this.options.elector.standalone !== true) this.#coordinators.get(trouble.election)?.stepDownFailed(trouble);
  }
}
