/**
 * The plug that decides which replica leads. One instance serves all elections of an app.
 *
 * @publicApi
 */
export interface Elector {
  /**
   * True when there are no other replicas that could lead, so that stepping down would help nobody.
   *
   * @default false
   */
  readonly standalone?: boolean;
  /**
   * While a campaign is under way, the elector reports, calls `onElected()` or `onLeaderObserved()` at least this often,
   * in milliseconds; errors count. Half as long again without any of it means that its loop hangs, which only a restart
   * of the process cures: liveness fails. Absent: it makes no such promise.
   */
  readonly reportsWithinMs?: number;
  /**
   * How long all work of a term together may take to settle after the term was lost, in milliseconds: after that somebody
   * else may lead, and whatever goes on is named in an error and fails liveness. Absent: nobody leads before it has settled.
   */
  readonly stopBudgetMs?: number;
  /**
   * Stands for an election until `signal` aborts: wins, loses and wins again within one call. When the signal aborts
   * while it leads, it ends the term (the term's signal is aborted in the same tick), waits for the work to settle,
   * releases, and resolves. At most one call per election is under way at a time.
   *
   * @throws when it cannot go on; the caller reports that and campaigns again, with backoff.
   */
  campaign(election: string, candidate: Candidate, signal: AbortSignal): Promise<void>;
  /** What an operator should know about the engine and its settings. */
  diagnose?(): Promise<Diagnosis[]>;
  /** Frees what the elector opened itself. Called once, after all campaigns have ended. */
  close?(): Promise<void>;
}

/**
 * The one who wants to lead, as the elector sees it.
 *
 * @publicApi
 */
export interface Candidate {
  /** Who, for people. Unique per process start by default. Never used to recognise one's own lease. */
  readonly identity: string;
  /**
   * Called once for each term that was won; terms never overlap.
   *
   * @returns a promise that settles when the term's work has settled. The elector releases only then. Settling before
   *   the term's signal was aborted means that the candidate resigns.
   */
  onElected(term: LeadershipTerm): Promise<void>;
  /** Who leads now as far as the elector can see; `undefined` when nobody does. */
  onLeaderObserved(leader: LeaderInfo | undefined): void;
  onReport(report: ElectorReport): void;
}

/**
 * One unbroken stretch of leadership.
 *
 * @publicApi
 */
export interface LeadershipTerm {
  readonly election: string;
  /** Identity of the replica that leads. */
  readonly identity: string;
  /** Strictly increasing over all terms of the election on all replicas, never reused. */
  readonly fencingToken: bigint;
  /** Aborted the moment the term ends, with the reason. */
  readonly signal: AbortSignal;
  /** Milliseconds until it ends unless it is renewed; below 0 once that is past. Absent where nothing ends it by itself. */
  readonly remainingMs?: number | undefined;
  /** Whether the term has not ended and its deadline has not passed. Once false, false for ever. */
  isValid(): boolean;
  /** @throws TermEndedError when the term is not valid. Call it right before each side effect. */
  assertValid(): void;
}

/** Who leads, as far as a replica can see. @publicApi */
export interface LeaderInfo {
  readonly identity: string;
  readonly fencingToken?: bigint;
  /** When this leader was first observed here, in milliseconds since the epoch. */
  readonly since: number;
  /** Where the leader can be reached, if it says so. */
  readonly address?: string;
}

/**
 * What an elector reports about its own work.
 *
 * @publicApi
 */
export type ElectorReport =
  /** A follower has seen how things are: the sign of life of its loop. */
  | { readonly kind: 'read'; readonly latencyMs: number }
  | { readonly kind: 'attempt'; readonly won: boolean; readonly latencyMs: number }
  | { readonly kind: 'renewal'; readonly latencyMs: number; readonly deadlineInMs: number }
  | { readonly kind: 'error'; readonly operation: string; readonly error: unknown }
  /** A misconfiguration: retried slowly, and nothing will change until somebody acts on the error's message. */
  | { readonly kind: 'refusal'; readonly operation: string; readonly error: unknown };

/** One finding about an engine, with what to do about it. @publicApi */
export interface Diagnosis {
  /**
   * - `ok`: it answers, and so on.
   * - `note`: as it mostly is, and works; worth knowing before it matters. Not logged at boot.
   * - `warning`: works, and should be changed.
   * - `error`: does not work, or is not safe.
   */
  readonly level: 'ok' | 'note' | 'warning' | 'error';
  readonly summary: string;
  readonly remedy?: string;
}

/** The election of leader-only components that name none. @publicApi */
export const DEFAULT_ELECTION = 'default';
