import assert from 'node:assert/strict';
import { sharedAbortController } from '../../core/abort.js';
import type {
  AbsentRecord,
  FreeRecord,
  HeldRecord,
  LeaseClaim,
  LeaseHolder,
  LeaseRecord,
  LeaseStore,
  OwnLease,
} from '../../core/lease/lease-store.js';
import type { LeaseStoreArena, LeaseStoreFixture } from './lease-store-fixture.js';

/** One promise of a lease store. */
export interface LeaseStoreCase {
  readonly name: string;
  readonly act: (stage: StoreStage) => Promise<void>;
}

const LEASE_MS = 1000;
/** Of leases whose end no case waits for, in milliseconds. */
const LONG_LEASE_MS = 600_000;
const ELECTION = 'default';

/** The stores of one case, on an arena of their own. */
export class StoreStage {
  readonly freeTokens: boolean;
  /** Of leases whose end a case waits for, in milliseconds. */
  readonly shortLeaseMs: number;
  readonly signal: AbortSignal = sharedAbortController().signal;
  readonly #stores: LeaseStore[] = [];
  #holders = 0;

  private constructor(
    readonly arena: LeaseStoreArena,
    fixture: LeaseStoreFixture,
  ) {
    this.freeTokens = fixture.freeTokens !== false;
    this.shortLeaseMs = fixture.leaseMs ?? LEASE_MS;
  }

  /** Opens a stage, plays one case on it, and clears up. @throws AssertionError, and what the store or the arena throws */
  static async play(fixture: LeaseStoreFixture, act: (stage: StoreStage) => Promise<void>): Promise<void> {
    const stage = new StoreStage(await fixture.open(), fixture);
    let failure: { readonly error: unknown } | undefined;
    for (const step of [() => act(stage), () => stage.#close(), async () => stage.arena.close()]) {
      try {
        await step();
      } catch (error) {
        failure ??= { error };
      }
    }
    if (failure !== undefined) throw failure.error;
  }

  async createStore(): Promise<LeaseStore> {
    const store = await this.arena.createStore();
    this.#stores.push(store);
    return store;
  }

  /** Somebody new. */
  holder(details: Partial<LeaseHolder> = {}): LeaseHolder {
    const number = ++this.#holders;
    const { identity = `replica-${number}` } = details;
    return { election: ELECTION, holder: `${identity}#${number}`, leaseMs: LONG_LEASE_MS, ...details, identity };
  }

  /** As somebody new, if the engine still holds what was read. */
  claim(basis: LeaseRecord, details: Partial<LeaseClaim> = {}): LeaseClaim {
    return { ...this.holder(details), basis, tokenAbove: 0n, ...details };
  }

  read(store: LeaseStore, election = ELECTION): Promise<LeaseRecord> {
    return store.read(election, this.signal);
  }

  /** Takes a lease that is free. */
  async acquire(store: LeaseStore, details: Partial<LeaseClaim> = {}): Promise<OwnLease> {
    const claim = this.claim(details.basis ?? (await this.read(store, details.election)), details);
    const result = await store.acquire(claim, this.signal);
    assert.ok(result.won, `${claim.identity} has not won a lease that is ${claim.basis.kind}`);
    const { basis: _basis, tokenAbove: _tokenAbove, ...holder } = claim;
    const { token, version } = result;
    return { ...holder, token, ...(version !== undefined && { version }) };
  }

  /** Extends it; the store must agree. */
  async renew(store: LeaseStore, lease: OwnLease): Promise<OwnLease> {
    const result = await store.renew(lease, this.signal);
    assert.ok(result.renewed, `${lease.identity} may not renew its own lease`);
    return { ...lease, ...(result.version !== undefined && { version: result.version }) };
  }

  async held(store: LeaseStore, election?: string): Promise<HeldRecord> {
    const record = await this.read(store, election);
    assert.equal(record.kind, 'held');
    return record;
  }

  async assertHeldBy(store: LeaseStore, lease: OwnLease): Promise<void> {
    const record = await this.held(store, lease.election);
    assert.deepEqual([record.holder, record.identity], [lease.holder, lease.identity]);
    if (record.token !== undefined) assert.equal(record.token, lease.token);
  }

  async released(store: LeaseStore): Promise<FreeRecord> {
    const record = await this.read(store);
    assert.equal(record.kind, 'released');
    return record;
  }

  async absent(store: LeaseStore): Promise<AbsentRecord> {
    const record = await this.read(store);
    assert.equal(record.kind, 'absent');
    return record;
  }

  hook<Name extends 'disconnect' | 'reconnect' | 'loseData'>(name: Name): NonNullable<LeaseStoreArena[Name]> {
    const hook = this.arena[name];
    if (hook === undefined) throw new Error(`The fixture lists a fault, but its arena has no ${name}()`);
    return hook.bind(this.arena) as NonNullable<LeaseStoreArena[Name]>;
  }

  async #close(): Promise<void> {
    for (const store of this.#stores) await store.close?.();
  }
}
