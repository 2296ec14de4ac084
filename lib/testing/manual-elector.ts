import { onAbort } from '../core/abort.js';
import { Deferred } from '../core/deferred.js';
import {
  DEFAULT_ELECTION,
  type Candidate,
  type Elector,
  type LeaderInfo,
  type LeadershipTerm,
} from '../core/elector.js';
import { CampaignUnderWayError } from '../core/errors.js';
import { ElectionTerm } from '../core/election-term.js';
import { within } from './within.js';

interface Campaign {
  readonly candidate: Candidate;
  readonly signal: AbortSignal;
  /** The term that was given last, until its work has settled. */
  serving: { readonly term: ElectionTerm; readonly settled: Promise<void> } | undefined;
}

/**
 * Leads exactly when the test says so. For one app; where several compete, give each a `MemoryElector`.
 *
 * @publicApi
 */
export class ManualElector implements Elector {
  readonly #campaigns = new Map<string, Campaign>();
  /** Resolved when the next campaign begins. */
  #arrival = new Deferred<void>();
  #lastToken = 0n;

  /**
   * Makes the app the leader, in a new term: waits for the app to stand for the election, ends the term that is under
   * way if there is one, and waits for its work to settle.
   *
   * @param limitMs real time that the app has to stand for the election, in milliseconds. @default 3000
   * @returns the term. The app has been told of it; its components are not up yet
   * @throws Error when the app does not stand for the election in time, with the elections that it does stand for
   */
  async elect(election: string = DEFAULT_ELECTION, limitMs = 3000): Promise<LeadershipTerm> {
    for (;;) {
      const campaign = await within(limitMs, this.#standing(election), () => this.#absence(election, limitMs));
      campaign.serving?.term.end('another term was asked for by the test');
      await campaign.serving?.settled;
      // Meanwhile the campaign may have ended, or somebody else have asked for a term.
      if (!campaign.signal.aborted && campaign.serving === undefined) return this.#serve(election, campaign);
    }
  }

  /**
   * Takes the leadership away, as a lost lease does: `isLeader()` is false as soon as it was called.
   *
   * @returns once all work of the term has settled; at once when the app does not lead
   */
  async depose(reason = 'deposed by the test', election: string = DEFAULT_ELECTION): Promise<void> {
    const serving = this.#campaigns.get(election)?.serving;
    serving?.term.end(reason);
    await serving?.settled;
  }

  /**
   * Lets the app see another leader, or that there is none.
   *
   * @throws Error when the app does not stand for the election
   */
  observe(leader: LeaderInfo | undefined, election: string = DEFAULT_ELECTION): void {
    const campaign = this.#campaigns.get(election);
    if (campaign === undefined) throw this.#absence(election, 0);
    campaign.candidate.onLeaderObserved(leader);
  }

  /** @throws CampaignUnderWayError for a second app: it serves one */
  async campaign(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    if (this.#campaigns.has(election)) throw new CampaignUnderWayError(election);
    const campaign: Campaign = { candidate, signal, serving: undefined };
    this.#campaigns.set(election, campaign);
    this.#arrival.resolve();
    this.#arrival = new Deferred();
    await new Promise<void>((resolve) => {
      onAbort(signal, () => {
        campaign.serving?.term.end('the campaign has ended', { cause: signal.reason });
        resolve();
      });
    });
    await campaign.serving?.settled;
    this.#campaigns.delete(election);
  }

  async #standing(election: string): Promise<Campaign> {
    for (;;) {
      const campaign = this.#campaigns.get(election);
      if (campaign?.signal.aborted === false) return campaign;
      await this.#arrival.promise;
    }
  }

  #serve(election: string, campaign: Campaign): LeadershipTerm {
    const { candidate } = campaign;
    const term = new ElectionTerm({ election, identity: candidate.identity, fencingToken: ++this.#lastToken });
    candidate.onLeaderObserved({ identity: term.identity, fencingToken: term.fencingToken, since: Date.now() });
    campaign.serving = { term, settled: this.#untilSettled(campaign, term) };
    return term;
  }

  async #untilSettled(campaign: Campaign, term: ElectionTerm): Promise<void> {
    try {
      // In a function of its own: what it throws at once must not be handled before `serving` is set.
      await (async () => campaign.candidate.onElected(term))();
    } catch (error) {
      campaign.candidate.onReport({ kind: 'error', operation: 'onElected', error });
    } finally {
      term.end('the candidate resigned');
      campaign.serving = undefined;
      campaign.candidate.onLeaderObserved(undefined);
    }
  }

  #absence(election: string, limitMs: number): Error {
    const stood = [...this.#campaigns.keys()].map((it) => `"${it}"`).join(', ') || 'none';
    return new Error(
      `The app does not stand for election "${election}"${limitMs > 0 ? ` after ${limitMs} ms` : ''} (it does for: ${stood}). ` +
        'Is it started, does a leader-only component name the election, and is it not in the cooldown after a failed term?',
    );
  }
}
