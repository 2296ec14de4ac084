import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from '../clock.js';
import type { Candidate, Diagnosis, Elector } from '../elector.js';
import { CampaignUnderWayError } from '../errors.js';
import { CandidateVoice } from './candidate-voice.js';
import { Handicap } from './handicap.js';
import { LeaseCampaign } from './lease-campaign.js';
import type { LeaseLoopOptions } from './lease-options.js';
import type { LeaseStore } from './lease-store.js';
import type { LeaseTiming } from './lease-timing.js';

const SHUTDOWN_TIMEOUT_MS = 25_000;
/** A replica that leads one more election tries that much later, as a share of the lease. */
const HANDICAP_STEP = 1 / 8;

/** What an elector over a lease store is made of. @publicApi */
export interface LeaseElectorOptions {
  readonly store: LeaseStore;
  /** As `resolveLeaseTiming()` has checked it. */
  readonly timing: LeaseTiming;
  /** How long a store must have been empty before it is believed, in milliseconds. @default the lease */
  readonly emptyStoreWaitMs?: number;
  /** How long a term that was given up is renewed while its work settles, in milliseconds. @default 25000 */
  readonly shutdownTimeoutMs?: number;
  /**
   * Whether a replica that leads many elections lets others win some, by trying later the more it leads: by up to half a
   * lease, so that one which is alone leads them all.
   *
   * @default false
   */
  readonly spread?: boolean;
  /** Where this replica can be reached, for those who ask who leads. */
  readonly address?: string;
  /** @default the system's time */
  readonly clock?: Clock;
  /** Source of jitter, from 0 to 1. @default Math.random */
  readonly random?: () => number;
  /** New at every call; what a holder knows its lease by, with its identity. @default a UUID */
  readonly randomPart?: () => string;
}

/**
 * An elector over any engine that can hold a lease: what the electors of the engines are made of.
 *
 * @publicApi
 */
export class LeaseElector implements Elector {
  /** A follower's longest silence is the pause after a refusal, a lease, and the request that follows it. */
  readonly reportsWithinMs: number;
  readonly stopBudgetMs: number;
  readonly #store: LeaseStore;
  readonly #options: LeaseLoopOptions;
  readonly #underWay = new Set<string>();
  /** By election: when this replica may stand again after a term that it gave up. */
  readonly #standBackUntil = new Map<string, number>();

  constructor(options: LeaseElectorOptions) {
    this.#store = options.store;
    this.reportsWithinMs = options.timing.leaseMs + options.timing.requestTimeoutMs;
    this.stopBudgetMs = options.timing.stopBudgetMs;
    this.#options = {
      timing: options.timing,
      emptyStoreWaitMs: options.emptyStoreWaitMs ?? options.timing.leaseMs,
      shutdownTimeoutMs: options.shutdownTimeoutMs ?? SHUTDOWN_TIMEOUT_MS,
      clock: options.clock ?? systemClock,
      random: options.random ?? Math.random,
      randomPart: options.randomPart ?? randomUUID,
      ...(options.address !== undefined && { address: options.address }),
      ...(options.spread === true && { handicap: new Handicap(options.timing.leaseMs * HANDICAP_STEP) }),
    };
  }

  /**
   * Stands for an election until `signal` aborts, whatever the store does. A term that was given up is followed by half a
   * lease in which others go first, also when the next campaign follows at once.
   *
   * @throws CampaignUnderWayError while an earlier campaign for the same election has not ended; nothing else
   */
  async campaign(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    if (this.#underWay.has(election)) throw new CampaignUnderWayError(election);
    this.#underWay.add(election);
    try {
      const voice = new CandidateVoice(candidate, this.#options.clock);
      const context = { election, voice, store: this.#store, options: this.#options, signal };
      const standBackUntil = this.#standBackUntil.get(election) ?? Number.NEGATIVE_INFINITY;
      const campaign = new LeaseCampaign(context, standBackUntil);
      await campaign.run();
      this.#standBackUntil.set(election, campaign.standBackUntil);
    } finally {
      this.#underWay.delete(election);
    }
  }

  /** What an operator should know about the engine and its settings. */
  async diagnose(): Promise<Diagnosis[]> {
    return (await this.#store.diagnose?.()) ?? [];
  }

  /** Frees what the store opened itself. */
  async close(): Promise<void> {
    await this.#store.close?.();
  }
}
