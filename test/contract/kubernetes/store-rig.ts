import type {
  LeaseHolder,
  LeaseRecord,
  LeaseStore,
  OwnLease,
  ReleaseNotice,
} from '../../../lib/core/lease/lease-store.js';
import {
  resolveKubernetesOptions,
  type KubernetesElectorOptions,
} from '../../../lib/electors/kubernetes/kubernetes-elector-options.js';
import { storeOf } from '../../../lib/electors/kubernetes/kubernetes-elector.js';
import { KubernetesApi } from '../../fixtures/engines/kubernetes-api.js';
import type { LeaseObject } from '../../fixtures/engines/kubernetes-leases.js';
import { TIMING } from './timing.js';

const ELECTION = 'default';
export const KEY = { namespace: 'default', name: 'orders.default' };

/** An API of its own, stores of one election on it, and what is behind them. */
export class StoreRig {
  readonly #stores: LeaseStore[] = [];
  readonly #watches = new AbortController();

  private constructor(readonly api: KubernetesApi) {}

  static async open(): Promise<StoreRig> {
    return new StoreRig(await KubernetesApi.start());
  }

  store(options: Partial<KubernetesElectorOptions> = {}): LeaseStore {
    const resolved = resolveKubernetesOptions({ namespace: 'orders', url: this.api.url, timing: TIMING, ...options });
    const store = storeOf(resolved, resolved.lease.timing);
    this.#stores.push(store);
    return store;
  }

  /** The Lease as it is. */
  get lease(): LeaseObject {
    return this.api.leases.get(KEY);
  }

  get isThere(): boolean {
    return this.api.leases.find(KEY) !== undefined;
  }

  /** Writes to the spec as somebody else would. */
  write(fields: Record<string, unknown>): void {
    this.api.leases.change(KEY, (it) => {
      it.spec = { ...it.spec, ...fields };
    });
  }

  holder(identity: string): LeaseHolder {
    return { election: ELECTION, holder: `${identity}#1`, identity, leaseMs: 15_000 };
  }

  read(store: LeaseStore): Promise<LeaseRecord> {
    return store.read(ELECTION, soon());
  }

  /** Takes the lease on the strength of what is read now. */
  async take(store: LeaseStore, identity = 'a'): Promise<OwnLease> {
    const holder = this.holder(identity);
    const result = await store.acquire({ ...holder, basis: await this.read(store), tokenAbove: 0n }, soon());
    if (!result.won) throw new Error(`${identity} has not won`);
    return { ...holder, token: result.token, ...(result.version !== undefined && { version: result.version }) };
  }

  /** What a watch hints at, from now on. As in a campaign it is opened again when it ends. */
  watch(store: LeaseStore): { readonly hints: (ReleaseNotice | undefined)[] } {
    const hints: (ReleaseNotice | undefined)[] = [];
    const { signal } = this.#watches;
    const goOn = async (): Promise<void> => {
      while (!signal.aborted) {
        await store.watch?.(ELECTION, (it) => hints.push(it), signal).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    void goOn();
    return { hints };
  }

  async close(): Promise<void> {
    this.#watches.abort();
    for (const store of this.#stores) await store.close?.();
    await this.api.stop();
  }
}

export function soon(): AbortSignal {
  return AbortSignal.timeout(5000);
}
