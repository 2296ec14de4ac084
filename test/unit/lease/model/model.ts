import { LeaseElector } from '../../../../lib/core/lease/lease-elector.js';
import { Random } from '../../../fixtures/random.js';
import { Checker } from './checker.js';
import { drawConditions, drawRate, FASTEST, SLOWEST } from './conditions.js';
import { Exchange } from './connection.js';
import { ClockedEngine, ObservedEngine } from './engine.js';
import { Faults } from './faults.js';
import type { Replica } from './replica.js';
import type { Setting } from './setting.js';
import { World } from './world.js';

/** Time without a leader, beside leases that have to run out. */
const TAKEOVER_MS = 2000;

/**
 * Some replicas, one engine, a network between them, and everything that goes wrong, drawn from a seed; then a calm, in
 * which one of them has to lead and nothing may change; then the end, after which nothing may be left.
 */
export class Model {
  readonly #setting: Setting;
  readonly #world: World;
  readonly #checker: Checker;
  readonly #faults: Faults;

  /** @param options.elector the class under test; a faulty one for the controls */
  constructor(
    seed: number,
    { elector = LeaseElector, isVerbose = false }: Partial<Pick<Setting, 'elector' | 'isVerbose'>> = {},
  ) {
    const random = new Random(seed);
    const conditions = drawConditions(random);
    const world = (this.#world = new World(() => this.#checker.sample()));
    const checker = (this.#checker = new Checker(conditions, () => world.now));
    const engine = conditions.isClocked
      ? new ClockedEngine(world, drawRate(random), conditions.traits)
      : new ObservedEngine(world, conditions.traits);
    const exchange = new Exchange();
    this.#setting = { random, world, checker, conditions, engine, exchange, elector, isVerbose };
    this.#faults = new Faults(this.#setting);
  }

  /** What happened, for a failing seed. */
  get trace(): string {
    return this.#checker.trace;
  }

  /** Returns everything that was found. */
  async run(): Promise<readonly string[]> {
    this.#faults.plan();
    await this.#runUntil(this.#setting.conditions.calmAt);
    await this.#someoneLeadsInTheCalm();
    await this.#nothingChangesInTheCalm();
    await this.#nothingIsLeft();
    return this.#checker.violations;
  }

  get #failed(): boolean {
    return this.#checker.violations.length > 0;
  }

  async #runUntil(time: number, done: () => boolean = () => false): Promise<void> {
    await this.#world.run(time, () => this.#failed || done());
  }

  async #someoneLeadsInTheCalm(): Promise<void> {
    if (this.#failed) return;
    const { conditions } = this.#setting;
    const { leaseMs } = conditions.timing;
    this.#checker.say('calm');
    Object.assign(conditions.weather, { faultRate: 0, slowRate: 0, engineIsDown: false });
    Object.assign(conditions.temper, { resigns: 0, overruns: 0 });
    const isDistrusted = conditions.engineClockJumps || this.#world.now - this.#faults.lastLossAt < 2 * leaseMs;
    // Without versions only the engine's clock tells when a lease has run out.
    const setBackMs = conditions.traits.showsVersion ? 0 : this.#faults.engineSetBackMs;
    const limitMs = (isDistrusted ? 3 : 2) * leaseMs + TAKEOVER_MS + setBackMs;
    // By the slowest clock.
    await this.#runUntil(this.#world.now + limitMs / SLOWEST, () => this.#checker.leaders().length > 0);
    if (this.#checker.leaders().length === 0) this.#checker.violate('nobody leads in the calm');
  }

  async #nothingChangesInTheCalm(): Promise<void> {
    const spanMs = 2 * this.#setting.conditions.timing.leaseMs;
    // What was under way when the calm began comes to its end.
    await this.#runUntil(this.#world.now + spanMs);
    if (this.#failed) return;
    const [leader] = this.#checker.leaders();
    if (leader === undefined) return this.#checker.violate('nobody leads in the calm any more');
    const checks = this.#faults.replicas.map((replica) => this.#countsRequests(replica, spanMs));
    await this.#runUntil(this.#world.now + spanMs);
    for (const check of checks) check(leader === this.#checker.leaders()[0]);
  }

  /** Returns what to call when that time is over. */
  #countsRequests({ name, candidate }: Replica, spanMs: number): (isSameLeader: boolean) => void {
    const { leaseMs, renewMs } = this.#setting.conditions.timing;
    const { requests, terms } = candidate;
    const before = { ...requests };
    const leads = this.#checker.leaders().includes(candidate);
    const most = {
      read: leads ? 0 : Math.ceil((spanMs * FASTEST) / (leaseMs / 3)) + 1,
      renew: leads ? Math.ceil((spanMs * FASTEST) / renewMs) + 1 : 0,
      acquire: 0,
      release: 0,
    };
    return (isSameLeader) => {
      if (!isSameLeader || candidate.terms > terms) this.#checker.violate('the leader changes in the calm');
      for (const operation of ['read', 'renew', 'acquire', 'release'] as const) {
        const sent = requests[operation] - before[operation];
        if (sent > most[operation]) this.#checker.violate(`${name} sends ${sent} times "${operation}" in the calm`);
      }
    };
  }

  async #nothingIsLeft(): Promise<void> {
    if (this.#failed) return;
    const { random, engine, conditions } = this.#setting;
    this.#checker.say('the end');
    for (const replica of this.#faults.replicas) {
      this.#world.at(this.#world.now + random.int(0, 3) * 50, () => replica.endCampaign());
    }
    await this.#runUntil(this.#world.now + 2 * conditions.timing.leaseMs);
    const { kind } = engine.read();
    if (kind !== 'released') this.#checker.violate(`the lease is ${kind} in the end`);
    for (const { name, host, isCampaigning } of this.#faults.replicas) {
      if (isCampaigning) this.#checker.violate(`the campaign of ${name} has not ended`);
      if (host.pendingTimers > 0) this.#checker.violate(`${name} leaves ${host.pendingTimers} timers`);
    }
  }
}
