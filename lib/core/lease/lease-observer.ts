import type { FreeRecord, HeldRecord, LeaseRecord, OwnLease, ReleaseNotice } from './lease-store.js';
import { elapsedBetween, type SentAt } from './lease-term.js';

/** Never, as a time on the monotonic clock. */
const NEVER = Number.POSITIVE_INFINITY;
/** Always. */
const LONG_AGO = Number.NEGATIVE_INFINITY;

/** The holder that was seen alive last. */
interface SeenAlive {
  readonly holder: string;
  readonly token: bigint | undefined;
  readonly leaseMs: number;
  /** When its lease runs out by all that was read of it, at the earliest and at the latest. */
  readonly from: number;
  readonly until: number;
}

/**
 * Decides from what was read, and from nothing else, when a follower may try to take over. All times are on the local
 * monotonic clock; no remote timestamp is ever compared with it.
 *
 * Every wait counts from the moment at which an answer was there, not from when it was asked for: what it tells may have
 * been written in between. What a store cannot show if it kept its word (a holder that is gone before its time, a token
 * that went back) is not believed until a whole lease has passed since.
 */
export class LeaseObserver {
  /** The name under which this candidate claims the lease now. */
  me = '';
  #record: LeaseRecord | undefined;
  /** When an answer first showed the record as it is now. */
  #since = 0;
  /** When the last read was sent. */
  #asked: SentAt | undefined;
  #notBefore = LONG_AGO;
  #highestToken = 0n;
  #alive: SeenAlive | undefined;
  /** What was to be replaced by the last attempt. */
  #basis = '';

  constructor(
    private readonly leaseMs: number,
    private readonly emptyStoreWaitMs: number,
  ) {}

  /** What was read last. */
  get record(): LeaseRecord {
    return this.#record ?? { kind: 'absent' };
  }

  /** The highest token that a term may have had, one's own terms included. */
  get highestToken(): bigint {
    return this.#highestToken;
  }

  /** The one who leads by what was read, as long as its lease runs. */
  leaderAt(now: number): HeldRecord | undefined {
    const { record } = this;
    if (record.kind !== 'held' || this.#isMine(record)) return undefined;
    return now < (this.#alive?.until ?? LONG_AGO) ? record : undefined;
  }

  /**
   * @param asked when the request was sent that showed the record
   * @param answeredAt when its answer was there
   */
  observe(record: LeaseRecord, asked: SentAt, answeredAt: number): void {
    const before = this.#record;
    const hasGap = this.#hasGap(asked);
    const isWritten = before === undefined || keyOf(record) !== keyOf(before);
    if (before !== undefined && record.kind === 'vacant') this.#noteRenewedSince(before, record);
    if (before !== undefined && isWritten && this.#isSuspect(record, before, { hasGap, answeredAt })) {
      this.#notBefore = answeredAt + Math.max(this.leaseMs, this.#alive?.leaseMs ?? 0);
    }
    // In a gap somebody may have led over an empty store, and have lost its record as well.
    if (isWritten || (record.kind === 'absent' && hasGap)) this.#since = answeredAt;
    if (record.kind === 'held' && !this.#isMine(record)) {
      this.#noteAlive(record, isWritten, asked.monotonic, answeredAt);
    }
    if (record.kind !== 'absent' && !this.#isMine(record)) this.#noteToken(record.token);
    this.#record = record;
    this.#asked = asked;
  }

  /**
   * From when on the lease may be tried for when it is said that the term with this token was released: as if that had been
   * read now. Infinity: it is not the term that was seen last, or is one's own.
   */
  eligibleAfterRelease({ token }: ReleaseNotice, now: number): number {
    const { record } = this;
    const isSeen = record.kind === 'held' && record.token === token && !this.#isMine(record);
    // A token that is lower than one that was seen would not be believed if it were read.
    return isSeen && token >= this.#highestToken ? Math.max(this.#notBefore, now) : NEVER;
  }

  /** An attempt is made to replace what was read last. */
  noteAttempt(): void {
    this.#basis = keyOf(this.record);
  }

  /**
   * A term of one's own is over, and nothing of its work is left. What is left of its lease is like anybody's.
   *
   * @param asked when the last request was sent that showed the lease to be one's own
   */
  noteOwnTerm(lease: OwnLease, asked: SentAt, now: number): void {
    const { holder, token, leaseMs } = lease;
    this.#record = { kind: 'held', ...lease };
    this.#asked = asked;
    this.#since = now;
    this.#alive = { holder, token, leaseMs, from: LONG_AGO, until: LONG_AGO };
    this.#noteToken(token);
  }

  /** From when on the lease may be tried for, as things were last seen; infinity: not before something changes. */
  get eligibleAt(): number {
    return Math.max(this.#notBefore, this.#freeAt());
  }

  /** When the lease that somebody else holds runs out if it is not renewed: some time between two times, if it has not. */
  runsOut(now: number): { readonly from: number; readonly until: number } | undefined {
    const isHeldByOther = this.record.kind === 'held' && !this.#isMine(this.record);
    return isHeldByOther && this.#alive !== undefined && now < this.#alive.until ? this.#alive : undefined;
  }

  #freeAt(): number {
    const { record } = this;
    switch (record.kind) {
      case 'absent':
        return this.#since + this.emptyStoreWaitMs;
      case 'released':
      case 'vacant':
        return this.#since;
      case 'held':
        // An acquire whose answer was lost has won after all.
        if (this.#isMine(record)) return this.#since;
        return record.version === undefined ? NEVER : this.#since + record.leaseMs;
    }
  }

  /** Whether a store that keeps its word could not show this after that. */
  #isSuspect(record: LeaseRecord, before: LeaseRecord, read: { hasGap: boolean; answeredAt: number }): boolean {
    if (record.kind === 'absent') return true;
    if (record.token !== undefined && record.token < this.#highestToken) return true;
    if (record.kind === 'vacant') return this.#endedEarly(record.token, read.answeredAt);
    // One's own attempt can only have replaced its basis, unless that came back with the data of an earlier time.
    return this.#isMine(record) && (keyOf(before) !== this.#basis || read.hasGap);
  }

  /** Gone without a word before its time: lost data, or an engine clock that jumped. */
  #endedEarly(token: bigint | undefined, answeredAt: number): boolean {
    const alive = this.#alive;
    // Won and run out again between two reads, which are closer to each other than that takes.
    if (alive === undefined || alive.token !== token) return true;
    return answeredAt < alive.until;
  }

  /** Too long since the last read to know that nothing else was there in between; a machine that slept included. */
  #hasGap(asked: SentAt): boolean {
    return this.#asked !== undefined && elapsedBetween(this.#asked, asked) > this.leaseMs;
  }

  #noteAlive(record: HeldRecord, isWritten: boolean, askedAt: number, answeredAt: number): void {
    const { holder, token, leaseMs, remainingMs } = record;
    const leftMs = Math.min(remainingMs ?? leaseMs, leaseMs);
    const from = remainingMs === undefined ? this.#since + leftMs : askedAt + leftMs;
    let until = remainingMs === undefined ? this.#since + leftMs : answeredAt + leftMs;
    // A lease only gets longer, and one that was written since the last read began after that. What an engine says
    // against it comes from a clock that jumped.
    if (this.#alive?.holder === holder) until = Math.max(until, this.#alive.until);
    if (isWritten) until = Math.max(until, (this.#asked?.monotonic ?? LONG_AGO) + leaseMs);
    this.#alive = { holder, token, leaseMs, from, until };
  }

  /** A holder whose lease has run out at every look may still renew it: an engine clock that jumps again and again. */
  #noteRenewedSince(before: LeaseRecord, { token, version }: FreeRecord): void {
    const alive = this.#alive;
    if (before.kind === 'absent' || before.version === undefined || version === undefined) return;
    if (before.token !== token || String(before.version) === String(version)) return;
    if (alive === undefined || alive.token !== token || this.#asked === undefined) return;
    // It was written after the last read was sent, and so its lease began after that.
    this.#alive = { ...alive, until: Math.max(alive.until, this.#asked.monotonic + alive.leaseMs) };
  }

  #isMine(record: LeaseRecord): boolean {
    return record.kind === 'held' && record.holder === this.me;
  }

  #noteToken(token: bigint | undefined): void {
    if (token !== undefined && token > this.#highestToken) this.#highestToken = token;
  }
}

/** The same for two records between which nothing was written. */
function keyOf(record: LeaseRecord): string {
  if (record.kind === 'absent') return 'absent';
  const holder = record.kind === 'held' ? record.holder : '';
  return `${record.kind} ${String(record.token)} ${String(record.version)} ${holder}`;
}
