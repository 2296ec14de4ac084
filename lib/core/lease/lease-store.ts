import type { Diagnosis } from '../elector.js';

/**
 * What an engine holds about one election.
 *
 * - `absent`: nothing, not even a token. The very first start, or an engine that lost its data.
 * - `released`: nobody leads, and the last holder said so.
 * - `vacant`: the last holder's lease has run out, and it did not say a word. Only stores that show `remainingMs` answer
 *   this.
 * - `held`: somebody holds it.
 *
 * @publicApi
 */
export type LeaseRecord = AbsentRecord | FreeRecord | HeldRecord;

/** What tells one write of a record from the next, where the engine has such a thing. @publicApi */
export type RecordVersion = string | number | bigint;

/** The engine holds nothing about the election. @publicApi */
export interface AbsentRecord {
  readonly kind: 'absent';
}

/** Nobody has the lease. @publicApi */
export interface FreeRecord {
  readonly kind: 'released' | 'vacant';
  /** The token of the last term, where the engine keeps it. */
  readonly token?: bigint;
  /** What `acquire` compares, where the engine compares versions. */
  readonly version?: RecordVersion;
}

/** It has `remainingMs`, or `version`, or both; a follower could not tell a dead holder from a live one without. @publicApi */
export interface HeldRecord {
  readonly kind: 'held';
  /** What the holder recognises itself by: its identity and a part that is random. */
  readonly holder: string;
  /** Who, for people. */
  readonly identity: string;
  /** The holder's lease, in milliseconds: followers wait for that long, not for their own. */
  readonly leaseMs: number;
  /** The token of the term, where the engine keeps it. */
  readonly token?: bigint;
  /**
   * What is left of the lease by the engine's own clock, in milliseconds, where the engine has one that judges. A store whose
   * watch tells of each write may judge instead, by a monotonic clock of its own from when it was told: what it says is
   * then never sooner than what the engine could say.
   */
  readonly remainingMs?: number;
  /**
   * Changes with every write, renewals included. A follower takes over when it has not changed for `leaseMs` by its own
   * clock, whatever the engine's clock says. Where both are there it also tells a follower that the engine's clock has
   * jumped forward, and that a lease which seems to have run out may not have. Show it wherever there is one.
   */
  readonly version?: RecordVersion;
  /** Where the holder can be reached, if it says so. */
  readonly address?: string;
}

/** Who holds a lease, or wants to. @publicApi */
export interface LeaseHolder {
  readonly election: string;
  /** New for every term: identity and a random part. */
  readonly holder: string;
  readonly identity: string;
  readonly leaseMs: number;
  readonly address?: string;
}

/** One attempt to take a lease. @publicApi */
export interface LeaseClaim extends LeaseHolder {
  /** What was read last: only that may be replaced. */
  readonly basis: LeaseRecord;
  /** The highest token that this candidate knows of. */
  readonly tokenAbove: bigint;
}

/** A lease that was won. @publicApi */
export interface OwnLease extends LeaseHolder {
  readonly token: bigint;
  /** What the last write returned, where the engine compares versions. */
  readonly version?: RecordVersion;
}

/** A lease to give back: token and version are missing when an acquire was sent and its answer never came. @publicApi */
export type LeaseToRelease = LeaseHolder & Partial<Pick<OwnLease, 'token' | 'version'>>;

/** What came of an attempt to take a lease. @publicApi */
export type AcquireResult =
  | { readonly won: true; readonly token: bigint; readonly version?: RecordVersion }
  /** `record`: what is there instead, where the engine says so with the answer. */
  | { readonly won: false; readonly record?: LeaseRecord };

/** What came of an attempt to extend a lease. @publicApi */
export type RenewResult =
  | { readonly renewed: true; readonly version?: RecordVersion }
  /** `record`: what is there instead, where the engine says so with the answer. */
  | { readonly renewed: false; readonly record?: LeaseRecord };

/** What a watch may know of a release: enough to try for the lease without reading it first. @publicApi */
export interface ReleaseNotice {
  /** The token of the term that was released. */
  readonly token: bigint;
}

/**
 * An engine, as the lease loop sees it: a few steps, each atomic. None of them waits or retries. Each ends when its signal
 * aborts, and sends nothing after that. What the engine will not do until somebody acts (no permission, a setting that
 * cannot work) is thrown as `EngineRefusalError`.
 *
 * For one election the loop has one of these calls under way at a time, `watch` aside.
 *
 * @publicApi
 */
export interface LeaseStore {
  /** What the engine holds now: from where writes go, never from a replica that may lag behind. */
  read(election: string, signal: AbortSignal): Promise<LeaseRecord>;
  /**
   * Takes the lease, holder and lifetime in one step, if what the engine holds is still `claim.basis`; else changes
   * nothing and has not won. The same means: the same kind by the engine's clock now, and the same token, holder and
   * version as far as the basis has them. So an attempt that arrives late, after somebody else had the lease, does nothing.
   *
   * The token is higher than every one before it; on engines that choose it freely, also than `claim.tokenAbove` and the
   * engine's clock in µs. Only a holder that takes its own lease again may be given the same token again.
   */
  acquire(claim: LeaseClaim, signal: AbortSignal): Promise<AcquireResult>;
  /**
   * Extends the lease if it is still this holder's under this token. "Not renewed" ends the term at once, with one
   * exception: where versions are compared and `lease.version` is outdated because the answer to an earlier renewal was
   * lost, answer with the record, which still names this holder; the loop renews again from its version.
   */
  renew(lease: OwnLease, signal: AbortSignal): Promise<RenewResult>;
  /**
   * Gives the lease back if this holder has it, under this token if one is given, whatever its version, and tells the
   * rivals. One that is gone, or somebody else's, is left as it is and is no error.
   */
  release(lease: LeaseToRelease, signal: AbortSignal): Promise<void>;
  /**
   * Calls `onHint` when the lease may have become free (not at every renewal), until the signal aborts; with a notice when
   * it was released, and the engine says of which term. Only makes things fast: what the engine holds counts. A follower
   * that has a notice of the term that it saw last tries at once, on the basis that a lease of that token was released; so
   * only stores whose `acquire` compares the token of such a basis may give one.
   *
   * @throws when it breaks; it is opened again, with backoff
   */
  watch?(election: string, onHint: (released?: ReleaseNotice) => void, signal: AbortSignal): Promise<void>;
  /**
   * Goes the way of an acquire and of a release, to the engine and back, and changes nothing there, whatever it holds:
   * what is done for the first time takes several times as long, on both sides, and a hand-over waits for it. Called once
   * in a campaign, while somebody else leads. What it throws is reported, and has no other effect.
   */
  rehearse?(election: string, signal: AbortSignal): Promise<void>;
  /** What an operator should know about the engine and its settings. */
  diagnose?(): Promise<Diagnosis[]>;
  /** Frees what the store opened itself. Called once, when nothing is asked of it any more. */
  close?(): Promise<void>;
}
