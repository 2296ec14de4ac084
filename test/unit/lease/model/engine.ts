import type {
  AcquireResult,
  LeaseClaim,
  LeaseRecord,
  LeaseToRelease,
  OwnLease,
  RenewResult,
} from '../../../../lib/core/lease/lease-store.js';
import type { World } from './world.js';

/** An engine's state for one election; every operation is atomic. */
export interface Engine {
  read(): LeaseRecord;
  acquire(claim: LeaseClaim): AcquireResult;
  renew(lease: OwnLease): RenewResult;
  /** Returns whether there was something to release. */
  release(lease: LeaseToRelease): boolean;
  /** When the lease was taken last over nothing at all. */
  readonly emptyTakenAt: number;
  /** Returns false when that would break a promise which it cannot keep without its data. */
  loseData(): boolean;
}

/** How an engine may differ within what the port allows. */
export interface EngineTraits {
  /** A held record shows its version although the engine's clock judges. */
  readonly showsVersion: boolean;
  /** A holder that takes its own lease again gets its token again. */
  readonly keepsToken: boolean;
  /** An expired lease that nobody has taken can be renewed. */
  readonly renewsExpired: boolean;
  /** Records show the token. */
  readonly showsToken: boolean;
  /** A lost attempt is answered with what is there. */
  readonly showsRival: boolean;
}

interface Lease {
  readonly claim: LeaseClaim;
  readonly token: bigint;
  readonly version: number;
  readonly expiresAt: number;
}

/** Like Redis or a table: leases expire by the engine's own clock, and tokens outlive them. */
export class ClockedEngine implements Engine {
  emptyTakenAt = 0;
  #lease: Lease | undefined;
  #lastToken: bigint | undefined;
  #released = false;
  #version = 0;
  #offsetMs = 1_000_000;

  constructor(
    private readonly world: World,
    private readonly rate: number,
    private readonly traits: EngineTraits,
  ) {}

  /** Not back while there is no token to be higher than, and no clock that is. */
  setClock(byMs: number): boolean {
    if (byMs < 0 && this.#lastToken === undefined) return false;
    this.#offsetMs += byMs;
    return true;
  }

  read(): LeaseRecord {
    const lease = this.#lease;
    if (lease !== undefined && lease.expiresAt > this.#now()) {
      const { holder, identity, leaseMs } = lease.claim;
      const remainingMs = Math.floor(lease.expiresAt - this.#now());
      const shown = this.traits.showsVersion ? { version: lease.version } : {};
      return { kind: 'held', holder, identity, leaseMs, token: lease.token, remainingMs, ...shown };
    }
    if (this.#lastToken === undefined) return { kind: 'absent' };
    return { kind: this.#released ? 'released' : 'vacant', token: this.#lastToken };
  }

  acquire(claim: LeaseClaim): AcquireResult {
    const record = this.read();
    if (!isSame(record, claim.basis)) return { won: false, ...(this.traits.showsRival && { record }) };
    if (record.kind === 'absent') this.emptyTakenAt = this.world.now;
    const isAgain = record.kind === 'held' && record.holder === claim.holder && this.traits.keepsToken;
    const token = isAgain ? this.#lastToken! : this.#nextToken(claim.tokenAbove);
    this.#lastToken = token;
    this.#released = false;
    this.#write(claim, token);
    return { won: true, token };
  }

  renew({ holder, token }: OwnLease): RenewResult {
    const lease = this.#lease;
    const isIts = lease?.claim.holder === holder && lease.token === token;
    if (!isIts || (lease.expiresAt <= this.#now() && !this.traits.renewsExpired)) return { renewed: false };
    this.#write(lease.claim, token);
    return { renewed: true };
  }

  release({ holder, token }: LeaseToRelease): boolean {
    const lease = this.#lease;
    if (lease?.claim.holder !== holder || (token !== undefined && lease.token !== token)) return false;
    this.#lease = undefined;
    this.#released = true;
    return true;
  }

  loseData(): boolean {
    if (this.#micros() <= (this.#lastToken ?? 0n)) return false;
    this.#lease = undefined;
    this.#lastToken = undefined;
    this.#released = false;
    return true;
  }

  #write(claim: LeaseClaim, token: bigint): void {
    this.#lease = { claim, token, version: ++this.#version, expiresAt: this.#now() + claim.leaseMs };
  }

  #nextToken(above: bigint): bigint {
    return [(this.#lastToken ?? 0n) + 1n, above + 1n].reduce((a, b) => (a > b ? a : b), this.#micros());
  }

  #micros(): bigint {
    return BigInt(Math.floor(this.#now() * 1000));
  }

  #now(): number {
    return this.world.now * this.rate + this.#offsetMs;
  }
}

/** Like a Kubernetes Lease or a NATS bucket: compare-and-set by version, and no clock at all. */
export class ObservedEngine implements Engine {
  emptyTakenAt = 0;
  #state: { readonly claim?: LeaseClaim; readonly token: bigint; readonly version: number } | undefined;
  #version = 100;

  constructor(
    private readonly world: World,
    private readonly traits: EngineTraits,
  ) {}

  read(): LeaseRecord {
    const state = this.#state;
    if (state === undefined) return { kind: 'absent' };
    const { claim, version } = state;
    const shown = this.traits.showsToken ? { token: state.token } : {};
    if (claim === undefined) return { kind: 'released', version, ...shown };
    const { holder, identity, leaseMs } = claim;
    return { kind: 'held', holder, identity, leaseMs, version, ...shown };
  }

  acquire(claim: LeaseClaim): AcquireResult {
    const record = this.read();
    if (!isSame(record, claim.basis)) return { won: false, ...(this.traits.showsRival && { record }) };
    if (record.kind === 'absent') this.emptyTakenAt = this.world.now;
    const version = ++this.#version;
    this.#state = { claim, token: BigInt(version), version };
    return { won: true, token: BigInt(version), version };
  }

  renew(lease: OwnLease): RenewResult {
    const state = this.#state;
    if (state?.claim?.holder !== lease.holder || state.version !== lease.version) {
      return { renewed: false, record: this.read() };
    }
    this.#state = { ...state, version: ++this.#version };
    return { renewed: true, version: this.#version };
  }

  release({ holder }: LeaseToRelease): boolean {
    const state = this.#state;
    if (state?.claim?.holder !== holder) return false;
    this.#state = { token: state.token, version: ++this.#version };
    return true;
  }

  loseData(): boolean {
    this.#state = undefined;
    return true;
  }
}

/** What the port calls the same: kind, and what the basis has of token, holder and version. */
function isSame(record: LeaseRecord, basis: LeaseRecord): boolean {
  if (record.kind !== basis.kind) return false;
  if (record.kind === 'absent' || basis.kind === 'absent') return true;
  if (basis.token !== undefined && record.token !== basis.token) return false;
  if (basis.version !== undefined && record.version !== basis.version) return false;
  return record.kind !== 'held' || basis.kind !== 'held' || record.holder === basis.holder;
}
