import type { Candidate, Diagnosis, Elector } from '../core/elector.js';
import type { LifecycleLogger } from '../core/logger.js';
import { WatchedCandidate } from './watched-candidate.js';
import { Watchdog } from './watchdog.js';

/**
 * An elector whose terms are watched: while one with a deadline is under way, the process is killed if the main thread is
 * blocked beyond that deadline. Terms without a deadline are left alone.
 */
export class WatchedElector implements Elector {
  readonly standalone?: boolean;
  readonly reportsWithinMs?: number;
  readonly stopBudgetMs?: number;
  readonly #watchdog: Watchdog;

  constructor(
    private readonly elector: Elector,
    logger: LifecycleLogger,
  ) {
    this.#watchdog = new Watchdog(logger);
    if (elector.standalone !== undefined) this.standalone = elector.standalone;
    if (elector.reportsWithinMs !== undefined) this.reportsWithinMs = elector.reportsWithinMs;
    if (elector.stopBudgetMs !== undefined) this.stopBudgetMs = elector.stopBudgetMs;
  }

  async campaign(election: string, candidate: Candidate, signal: AbortSignal): Promise<void> {
    const watched = new WatchedCandidate(candidate, this.#watchdog);
    try {
      await this.elector.campaign(election, watched, signal);
    } finally {
      // Leadership ends the work of an elector that is gone, also where that has not ended its term.
      watched.close();
    }
  }

  async diagnose(): Promise<Diagnosis[]> {
    return (await this.elector.diagnose?.()) ?? [];
  }

  async close(): Promise<void> {
    await this.#watchdog.close();
    await this.elector.close?.();
  }
}
