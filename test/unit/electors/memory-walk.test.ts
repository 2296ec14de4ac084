import { expect, test } from '@jest/globals';
import { Deferred } from '../../../lib/core/deferred.js';
import { MemoryElectionHub } from '../../../lib/electors/memory/memory-election-hub.js';
import { MemoryElector } from '../../../lib/electors/memory/memory-elector.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { leaderOnly, Replica, Worker } from '../leadership/leadership-fixtures.js';
import { Random } from '../../fixtures/random.js';

const SEEDS = Array.from({ length: 25 }, (_, index) => index + 1);
const STEPS = 60;

interface Contender {
  readonly replica: Replica;
  readonly worker: Worker;
}

/** Several replicas on one hub, moved at random: boots, stops, step-downs, failures, work that settles late or never hurries. */
class Walk {
  readonly #clock = new ManualClock();
  readonly #hub = new MemoryElectionHub({ clock: this.#clock });
  readonly #random: () => number;
  readonly #settling = new Set<Deferred<void>>();
  /** Those that have not been stopped. */
  #replicas: Contender[] = [];
  readonly #workers: Worker[] = [];
  #calm = false;
  #born = 0;
  #lastToken = 0n;
  terms = 0;
  readonly violations: string[] = [];

  constructor(readonly seed: number) {
    const random = new Random(seed);
    this.#random = () => random.next();
  }

  async run(): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      await this.#step();
      this.#check();
    }
    await this.#calmDown();
  }

  async #step(): Promise<void> {
    const roll = this.#random();
    const chosen = this.#replicas[Math.floor(this.#random() * this.#replicas.length)];
    if (this.#replicas.length < 3 || (roll < 0.1 && this.#replicas.length < 6)) await this.#boot();
    else if (roll < 0.25) this.#stop(chosen);
    else if (roll < 0.5)
      void chosen?.replica.leadership.stepDown('random', { cooldownMs: Math.floor(this.#random() * 3000) });
    else if (roll < 0.6) chosen?.worker.break(new Error('random'));
    else if (roll < 0.8) this.#settleOne();
    else await this.#clock.advance(Math.floor(this.#random() * 10_000));
    if (this.#random() < 0.5) await this.#clock.settle();
  }

  async #boot(): Promise<void> {
    const identity = `replica-${++this.#born}`;
    const replica = new Replica({
      elector: new MemoryElector(this.#hub),
      clock: this.#clock,
      identity,
      random: this.#random,
    });
    const worker = leaderOnly(replica);
    worker.onStart = ({ term }) => {
      this.terms++;
      const token = term?.fencingToken ?? 0n;
      // Thrown here, it would only be one more component that failed.
      if (this.#running !== 1) this.violations.push(`${this.#running} runs at once under term ${token}`);
      if (token <= this.#lastToken) this.violations.push(`term ${token} after term ${this.#lastToken}`);
      this.#lastToken = token;
      worker.settling = this.#settlingTime();
      if (!this.#calm && this.#random() < 0.1) throw new Error('random at start');
    };
    this.#workers.push(worker);
    this.#replicas.push({ replica, worker });
    await replica.boot();
  }

  /** Runs that have not settled, over all replicas that ever were. */
  get #running(): number {
    return this.#workers.reduce((sum, it) => sum + it.running, 0);
  }

  #settlingTime(): Promise<void> {
    if (this.#calm || this.#random() < 0.5) return Promise.resolve();
    const slow = new Deferred<void>();
    this.#settling.add(slow);
    return slow.promise;
  }

  #stop(chosen: Contender | undefined): void {
    this.#replicas = this.#replicas.filter((it) => it !== chosen);
    void chosen?.replica.leadership.stop();
  }

  #settleOne(): void {
    for (const one of this.#settling) {
      this.#settling.delete(one);
      one.resolve();
      return;
    }
  }

  #check(): void {
    const leaders = this.#replicas.filter(({ replica }) => replica.leadership.isLeader());
    expect(leaders.length).toBeLessThanOrEqual(1);
    expect(this.#running).toBeLessThanOrEqual(1);
    for (const { replica } of this.#replicas) {
      replica.terms.forEach((term, index) => expect(term.startsWith(index % 2 === 0 ? '+' : '-')).toBe(true));
    }
  }

  /** Once nothing is slow any more there is exactly one leader again, and everything can be stopped. */
  async #calmDown(): Promise<void> {
    this.#calm = true;
    while (this.#settling.size > 0) this.#settleOne();
    await this.#clock.advance(300_000);
    this.#check();
    expect(this.#replicas.filter(({ replica }) => replica.leadership.isLeader())).toHaveLength(1);
    await Promise.all(this.#replicas.map(({ replica }) => replica.leadership.stop()));
    expect([this.#running, this.#clock.pending]).toEqual([0, 0]);
  }
}

test.each(SEEDS)('at most one of several replicas leads, whatever happens to them (seed %d)', async (seed) => {
  const walk = new Walk(seed);

  await walk.run();

  expect(walk.violations).toEqual([]);
  expect(walk.terms).toBeGreaterThan(0);
});
