import { ClockedEngine } from './engine.js';
import type { ModelCandidate } from './model-candidate.js';
import { Replica } from './replica.js';
import type { Setting } from './setting.js';

/** Everything that goes wrong outside of the requests themselves, until the calm; and the replicas it happens to. */
export class Faults {
  readonly replicas: Replica[] = [];
  /** True time at which the engine lost its data last. */
  lastLossAt = Number.NEGATIVE_INFINITY;
  /** How far the engine's clock was set back, in all. */
  engineSetBackMs = 0;
  #lastJumpAt = 0;

  constructor(private readonly setting: Setting) {
    setting.checker.onWorkSettled = (candidate) => this.#strikeAtSettling(candidate);
  }

  plan(): void {
    const { random, conditions } = this.setting;
    const { leaseMs } = conditions.timing;
    const count = random.int(2, 4);
    // Where the engine's clock may jump, all look at the engine before it does.
    const withinMs = leaseMs * (conditions.engineClockJumps ? 0.5 : 2);
    for (let index = 0; index < count; index++) {
      this.#in(random.next() * withinMs, () => this.#start(String.fromCharCode(65 + index)));
    }
    for (let events = random.int(0, 14); events > 0; events--) {
      this.#in(0.5 * leaseMs + random.next() * (conditions.calmAt - 0.5 * leaseMs), () => this.#strike());
    }
  }

  #in(ms: number, run: () => void): void {
    this.setting.world.at(this.setting.world.now + ms, run);
  }

  #start(name: string): void {
    this.replicas.push(new Replica(name, this.replicas.length, this.setting, () => this.#strikeAtSlowAnswer()));
  }

  /** How long a fault lasts: until the calm at most. */
  #span(): number {
    const { random, conditions, world } = this.setting;
    const spanMs = random.next() * random.pick([0.5, 1, 3]) * conditions.timing.leaseMs;
    return Math.min(spanMs, conditions.calmAt - world.now);
  }

  #strike(): void {
    const { random, conditions } = this.setting;
    const running = this.replicas.filter(({ host }) => host.isRunning);
    if (running.length === 0) return;
    const leading = running.filter(({ candidate }) => candidate.term?.signal.aborted === false);
    const replica = random.pick(leading.length > 0 && random.chance(0.6) ? leading : running);
    if (conditions.engineClockJumps) return this.#setClocks(replica);
    switch (random.int(0, 11)) {
      case 0:
        return this.#pause(replica, false);
      case 1:
        return this.#pause(replica, !conditions.wallClocksJumpBack);
      case 2:
        return this.#cutOff(replica);
      case 3:
        return this.#stopEngine();
      case 4:
        return this.#kill(replica);
      case 5:
      case 6:
      case 7:
        return replica.restart(this.#span());
      case 8:
        return this.#loseData();
      case 9:
        return this.#disturbWatch(replica);
      default:
        return this.#setClocks(replica);
    }
  }

  /** The worst time to lose the leader: when somebody counts from a request whose answer took long. */
  #strikeAtSlowAnswer(): void {
    const { random, conditions } = this.setting;
    if (!this.#hasMalice() || !random.chance(0.6)) return;
    const leader = this.replicas.find(({ candidate }) => candidate.term?.signal.aborted === false);
    if (leader !== undefined) this.#cutOff(leader, (1 + random.next()) * conditions.timing.leaseMs);
  }

  /** The worst time to be cut off: when the lease is to be released. */
  #strikeAtSettling(candidate: ModelCandidate): void {
    const { random, conditions } = this.setting;
    if (!this.#hasMalice() || !random.chance(0.6)) return;
    const replica = this.replicas.find((it) => it.candidate === candidate);
    if (replica !== undefined) this.#cutOff(replica, conditions.timing.requestTimeoutMs * (1 + random.next()));
  }

  #hasMalice(): boolean {
    const { conditions, world } = this.setting;
    return conditions.hasMalice && world.now < conditions.calmAt;
  }

  #pause({ name, host }: Replica, asleep: boolean): void {
    const forMs = this.#span();
    this.setting.checker.say(`${name} ${asleep ? 'sleeps' : 'is paused'} for ${forMs.toFixed(0)}`);
    host.pause(forMs, asleep);
  }

  #cutOff({ name, connection }: Replica, forMs = this.#span()): void {
    const { world, conditions, checker } = this.setting;
    const until = Math.min(world.now + forMs, conditions.calmAt);
    checker.say(`${name} is cut off until ${until.toFixed(0)}`);
    connection.cutOffUntil = until;
  }

  #stopEngine(): void {
    const { checker, conditions } = this.setting;
    const forMs = this.#span();
    checker.say(`the engine is down for ${forMs.toFixed(0)}`);
    conditions.weather.engineIsDown = true;
    this.#in(forMs, () => void (conditions.weather.engineIsDown = false));
  }

  #kill(replica: Replica): void {
    replica.kill();
    this.#in(this.#span(), () => this.#start(replica.name));
  }

  /** Not before all who wait for an empty store to be believed have seen what came of it: that would look the same. */
  #loseData(): void {
    const { checker, conditions, engine, exchange, world } = this.setting;
    if (exchange.emptyAttempts > 0 || world.now < engine.emptyTakenAt + 2 * conditions.timing.leaseMs) return;
    if (!engine.loseData()) return;
    checker.say('the engine loses its data');
    this.lastLossAt = world.now;
    this.#troubleAll();
  }

  #disturbWatch({ connection }: Replica): void {
    if (this.setting.random.chance(0.5)) connection.breakWatch();
    // Also when nothing was released.
    else this.setting.exchange.hint(this.setting.engine.read());
  }

  #setClocks({ name, host }: Replica): void {
    const { checker, conditions, engine, random, world } = this.setting;
    const { leaseMs } = conditions.timing;
    const byMs = (random.next() * 3 - (conditions.wallClocksJumpBack ? 1.5 : 0)) * leaseMs;
    if (engine instanceof ClockedEngine && random.chance(0.5)) {
      // First look, then jump, then look again: who has seen nothing but that a lease has run out has to believe it.
      const isSeen = conditions.engineClockJumps && world.now > this.#lastJumpAt + 2 * leaseMs;
      return this.#setEngineClock(engine, isSeen ? byMs : -Math.abs(byMs));
    }
    checker.say(`${name}: the wall clock jumps by ${byMs.toFixed(0)}`);
    host.setWallClock(byMs);
  }

  #setEngineClock(engine: ClockedEngine, byMs: number): void {
    if (!engine.setClock(byMs)) return;
    this.setting.checker.say(`the engine's clock jumps by ${byMs.toFixed(0)}`);
    this.#lastJumpAt = this.setting.world.now;
    if (byMs < 0) this.engineSetBackMs -= byMs;
    this.#troubleAll();
  }

  #troubleAll(): void {
    for (const { candidate } of this.replicas) candidate.onTrouble();
  }
}
