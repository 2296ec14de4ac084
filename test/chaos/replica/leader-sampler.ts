import type { HealthMonitor } from '../../../lib/health/health-monitor.js';
import type { Leadership } from '../../../lib/leadership/leadership.js';
import type { Journal } from '../journal.js';
import { ELECTIONS, now, type ReplicaRecord, type Time } from '../records.js';

const PERIOD_MS = 4;
const SAMPLES_PER_PROBE = 25;
/** A standstill is noted from here on. */
const LAG_MS = 50;

/** Asks all the time whether this replica leads, and writes down every yes; asks its probes, and writes down every no. */
export class LeaderSampler {
  #last: Time = now();
  #timer: NodeJS.Timeout | undefined;
  #samples = 0;

  constructor(
    private readonly leadership: Leadership,
    private readonly health: HealthMonitor,
    private readonly journal: Journal<ReplicaRecord>,
  ) {}

  start(): void {
    this.#last = now();
    this.#next();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** The time is taken first: who leads when asked has led at that time. */
  sample(): void {
    for (const e of ELECTIONS) {
      const t = now();
      if (!this.leadership.isLeader(e)) continue;
      const token = this.leadership.term(e)?.fencingToken;
      if (token !== undefined) this.journal.write({ k: 'led', t, e, token: String(token) });
    }
  }

  #probe(): void {
    for (const probe of ['live', 'ready'] as const) {
      const t = now();
      const { ok, reasons } = this.health[probe]();
      if (!ok) this.journal.write({ k: 'probe', t, probe, reasons });
    }
  }

  #next(): void {
    this.#timer = setTimeout(() => {
      this.sample();
      if (this.#samples++ % SAMPLES_PER_PROBE === 0) this.#probe();
      this.#noteLag();
      this.#next();
    }, PERIOD_MS);
  }

  #noteLag(): void {
    const until = now();
    const isLate = BigInt(until) - BigInt(this.#last) > BigInt(LAG_MS) * 1_000_000n;
    if (isLate) this.journal.write({ k: 'lag', t: this.#last, until });
    this.#last = until;
  }
}
