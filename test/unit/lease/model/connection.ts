import type {
  AcquireResult,
  LeaseClaim,
  LeaseRecord,
  LeaseStore,
  LeaseToRelease,
  OwnLease,
  ReleaseNotice,
  RenewResult,
} from '../../../../lib/core/lease/lease-store.js';
import type { Host } from './host.js';
import type { ModelCandidate, Operation } from './model-candidate.js';
import type { Setting } from './setting.js';

/** Without `arrivesInMs` a request never gets there, without `answersInMs` no answer comes back. */
interface Plan {
  readonly arrivesInMs?: number;
  readonly answersInMs?: number;
  /** The answer is an error, though what was asked for is done. */
  readonly fails?: boolean;
  readonly isSlow?: boolean;
}

/** The network between all hosts and the engine, and how bad it is at the moment. */
export interface Weather {
  /** Chance that a request meets a fault. */
  faultRate: number;
  /** Operations that never meet one. */
  readonly spared: ReadonlySet<Operation>;
  /** Chance that an answer takes its time, within the request timeout. */
  slowRate: number;
  hintLoss: number;
  engineIsDown: boolean;
  readonly requestTimeoutMs: number;
  /** Whatever is late is here by then. */
  readonly latestAt: number;
}

/** What all connections share: who listens for hints, and what is on the way. */
export class Exchange {
  readonly listeners = new Set<(released?: ReleaseNotice) => void>();
  /** Requests in the network that would take an empty store. */
  emptyAttempts = 0;

  /** @param last what the engine holds, or what somebody says that it holds: is told as a release if it has a token */
  hint(last: LeaseRecord): void {
    const { token } = { token: undefined, ...last };
    for (const tell of [...this.listeners]) tell(token === undefined ? undefined : { token });
  }
}

/** A client of the engine in one process, over a network that delays, loses, and breaks. */
export class Connection implements LeaseStore {
  /** True time. */
  cutOffUntil = 0;
  #breakWatch: (error: Error) => void = () => undefined;

  constructor(
    private readonly host: Host,
    private readonly candidate: ModelCandidate,
    private readonly setting: Setting,
    private readonly onSlowAnswer: () => void,
  ) {}

  read(): Promise<LeaseRecord> {
    return this.#call('read', () => this.setting.engine.read());
  }

  acquire(claim: LeaseClaim): Promise<AcquireResult> {
    const { engine, exchange } = this.setting;
    if (claim.basis.kind !== 'absent') return this.#call('acquire', () => engine.acquire(claim));
    exchange.emptyAttempts++;
    return this.#call(
      'acquire',
      () => engine.acquire(claim),
      () => exchange.emptyAttempts--,
    );
  }

  renew(lease: OwnLease): Promise<RenewResult> {
    return this.#call('renew', () => this.setting.engine.renew(lease));
  }

  rehearse(): Promise<void> {
    return this.#call('rehearse', () => undefined);
  }

  release(lease: LeaseToRelease): Promise<void> {
    return this.#call('release', () => {
      const { engine, exchange } = this.setting;
      if (engine.release(lease)) exchange.hint(engine.read());
    });
  }

  /** Ends with an error when the model breaks it. Some clients do not care for their signal. */
  watch(_election: string, onHint: (released?: ReleaseNotice) => void, signal: AbortSignal): Promise<void> {
    const { conditions, exchange, random } = this.setting;
    const tell = (released?: ReleaseNotice) => {
      if (random.chance(conditions.weather.hintLoss) || this.#isCutOff) return;
      const notice = random.chance(0.8) ? released : undefined;
      this.host.receive(random.int(1, 20), () => onHint(notice));
    };
    exchange.listeners.add(tell);
    return new Promise((resolve, reject) => {
      this.#breakWatch = (error) => {
        exchange.listeners.delete(tell);
        reject(error);
      };
      if (random.chance(0.5)) signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  breakWatch(): void {
    this.#breakWatch(new Error('the watch broke'));
  }

  get #isCutOff(): boolean {
    const { conditions, world } = this.setting;
    return conditions.weather.engineIsDown || world.now < this.cutOffUntil;
  }

  /** @param onArrival the request is not on the way any more, whether or not it has got there */
  #call<T>(operation: Operation, perform: () => T, onArrival: () => void = () => undefined): Promise<T> {
    const { world, conditions } = this.setting;
    const sentAt = this.host.bootNow();
    this.candidate.onSent(operation);
    return new Promise<T>((resolve, reject) => {
      const fail = (inMs: number) => this.host.receive(inMs, () => reject(new Error(`${operation} failed`)));
      const plan = this.#plan(operation);
      const { arrivesInMs, answersInMs } = plan;
      const arrive = () => {
        onArrival();
        const answer = perform();
        if (this.setting.isVerbose) this.#say(`${operation}: ${print(answer)}, answer in ${answersInMs?.toFixed(0)}`);
        if (answersInMs === undefined) return;
        if (plan.fails) return fail(answersInMs);
        this.host.receive(answersInMs, () => {
          this.#noteAcknowledged(answer, sentAt);
          resolve(answer);
          if (plan.isSlow) this.onSlowAnswer();
        });
      };
      if (arrivesInMs !== undefined) {
        const latestAt = Math.max(conditions.weather.latestAt, world.now + 10);
        world.at(Math.min(world.now + arrivesInMs, latestAt), arrive, true);
        return;
      }
      onArrival();
      if (answersInMs !== undefined) fail(answersInMs);
    });
  }

  #say(line: string): void {
    this.setting.checker.say(`  ${this.candidate.name} ${line}`);
  }

  #noteAcknowledged(answer: unknown, sentAt: number): void {
    const { won, renewed } = (answer ?? {}) as { won?: boolean; renewed?: boolean };
    const isInTime = this.host.bootNow() - sentAt <= this.setting.conditions.timing.requestTimeoutMs;
    if (isInTime && (won === true || renewed === true)) this.candidate.acknowledgedAt = sentAt;
  }

  #plan(operation: Operation): Plan {
    const { random, conditions } = this.setting;
    const { spared, faultRate, slowRate, requestTimeoutMs: timeoutMs } = conditions.weather;
    const quick = () => random.int(1, 6);
    const somewhere = (mostMs: number) => random.next() * mostMs;
    if (!this.#isCutOff && (spared.has(operation) || !random.chance(faultRate))) {
      if (!random.chance(slowRate)) return { arrivesInMs: quick(), answersInMs: quick() };
      const both = random.pick([somewhere(timeoutMs), 0.95 * timeoutMs]);
      const there = random.pick([somewhere(both), 1, both - 1]);
      return { arrivesInMs: there, answersInMs: both - there, isSlow: true };
    }
    if (operation === 'renew') this.candidate.onTrouble();
    if (this.#isCutOff) return random.chance(0.5) ? {} : { answersInMs: quick() };
    switch (random.int(0, 5)) {
      case 0:
        return { answersInMs: quick() };
      case 1:
        return { arrivesInMs: quick(), answersInMs: quick(), fails: true };
      case 2:
        return {};
      case 3:
        return { arrivesInMs: somewhere(timeoutMs) };
      case 4:
        // Commits in time, and the answer comes when nobody waits for it any more.
        return { arrivesInMs: quick(), answersInMs: timeoutMs + somewhere(2 * timeoutMs) };
      default:
        return { arrivesInMs: timeoutMs + somewhere(6 * timeoutMs), answersInMs: quick() };
    }
  }
}

function print(answer: unknown): string {
  return JSON.stringify(answer ?? null, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
