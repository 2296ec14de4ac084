import type { LeaseContext } from './lease-context.js';
import { LeaseFollower } from './lease-follower.js';
import { releaseLease } from './lease-release.js';
import type { LeaseHolder } from './lease-store.js';
import { LeaseTenure, type WonLease } from './lease-tenure.js';
import { watchLease } from './lease-watch.js';

/** Whoever gave the lease up lets the others try first, for this share of the lease: longer than they poll. */
const STAND_BACK = 0.5;

/**
 * The lease loop: one candidate in one election, from the first read to the last release. Follow until the lease can be
 * taken, lead until the term has ended and its work has settled, and again, until the signal aborts.
 */
export class LeaseCampaign {
  readonly #follower: LeaseFollower;
  #me: LeaseHolder;
  #standBackUntil: number;

  /** @param standBackUntil time on the clock before which others are to have the lease */
  constructor(
    private readonly context: LeaseContext,
    standBackUntil: number,
  ) {
    this.#follower = new LeaseFollower(context);
    this.#follower.standBackUntil(standBackUntil);
    this.#standBackUntil = standBackUntil;
    this.#me = this.#newHolder();
  }

  /** For the campaign that follows this one: time on the clock before which others are to have the lease. */
  get standBackUntil(): number {
    return this.#standBackUntil;
  }

  /** Resolves when the signal has aborted and nothing is left. Never rejects. */
  async run(): Promise<void> {
    const { signal, voice } = this.context;
    const watching = new AbortController();
    void watchLease({ ...this.context, signal: watching.signal }, (released) => this.#follower.hint(released));
    while (!signal.aborted) {
      const won = await this.#follower.follow(this.#me);
      if (won !== undefined) await this.#lead(won);
    }
    if (this.#follower.mayHold) await releaseLease(this.context, this.#me);
    // Not before: a rival waits for the release, and not for the end of a watch.
    watching.abort(signal.reason);
    voice.leads(undefined);
  }

  async #lead(won: WonLease): Promise<void> {
    const { clock, timing, handicap } = this.context.options;
    const leave = handicap?.take();
    const end = await new LeaseTenure(won, this.context).serve();
    const releasedAt = end.release ? await releaseLease(this.context, end.lease) : undefined;
    leave?.();
    if (end.givenUp) {
      this.#standBackUntil = clock.now() + timing.leaseMs * STAND_BACK;
      this.#follower.standBackUntil(this.#standBackUntil);
    }
    this.#follower.noteOwnTerm(end.lease, releasedAt ?? end.sentAt);
    // Under the old name it could be given the token of the old term again.
    this.#me = this.#newHolder();
  }

  #newHolder(): LeaseHolder {
    const { election, voice, options } = this.context;
    const { timing, address, randomPart } = options;
    return {
      election,
      holder: `${voice.identity}#${randomPart()}`,
      identity: voice.identity,
      leaseMs: timing.leaseMs,
      ...(address !== undefined && { address }),
    };
  }
}
