import { afterAll, describe, test } from '@jest/globals';
import { leaseStoreContract } from '../../../lib/testing/contract/lease-store-contract.js';
import { KubernetesStoreArena, STORE_LEASE_MS } from './kubernetes-store-arena.js';
import { SharedApi } from './shared-api.js';

describe('KubernetesLeaseStore', () => {
  const api = new SharedApi();

  afterAll(() => api.stop());

  const open = async () => new KubernetesStoreArena(await api.started());
  const faults = ['disconnect', 'data loss'] as const;
  for (const it of leaseStoreContract({ open, faults, freeTokens: false, leaseMs: STORE_LEASE_MS })) {
    test.concurrent(it.name, it.run, it.timeoutMs);
  }
});
