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
import { LeaseClerk } from '../../fixtures/engines/kubernetes-requests.js';
import type { ApiServer } from './shared-api.js';
import { TIMING } from './timing.js';

const ELECTION = 'default';
export const KEY = { namespace: 'default', name: 'orders.default' };

/** Stores of one election on an API, and what is behind them. */
export class StoreRig {
  readonly clerk: LeaseClerk;
  readonly #stores: LeaseStore[] = [];
  readonly #watches = new AbortController();

  private constructor(
    private readonly server: ApiServer,
    private readonly isOwn: boolean,
  ) {
    this.clerk = new LeaseClerk(server.accessBy());
  }

  /** @param shared with other tests, one after the other. @default a double of its own */
  static async open(shared?: ApiServer): Promise<StoreRig> {
    return new StoreRig(shared ?? (await KubernetesApi.start()), shared === undefined);
  }

  /** The double, by those who tell it what to do. */
  get api(): KubernetesApi {
    if (this.server instanceof KubernetesApi) return this.server;
    throw new Error('This is no double');
  }

  store(options: Partial<KubernetesElectorOptions> = {}): LeaseStore {
    const access = this.server.accessBy();
    const resolved = resolveKubernetesOptions({ namespace: 'orders', timing: TIMING, ...access, ...options });
    const store = storeOf(resolved, resolved.lease.timing);
    this.#stores.push(store);
    return store;
  }

  /** The Lease as it is. */
  lease(): Promise<LeaseObject> {
    return this.clerk.get(KEY);
  }

  async isThere(): Promise<boolean> {
    return (await this.clerk.find(KEY)) !== undefined;
  }

  /** Writes to the spec as somebody else would. */
  write(fields: Record<string, unknown>): Promise<void> {
    return this.clerk.change(KEY, (it) => {
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
    if (this.isOwn) await this.server.stop();
    else await this.clerk.delete(KEY);
  }
}

export function soon(): AbortSignal {
  return AbortSignal.timeout(5000);
}
