import { afterAll, test } from '@jest/globals';
import { leaseStoreContract } from '../../../lib/testing/contract/lease-store-contract.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { EtcdStoreArena, STORE_LEASE_MS } from './etcd-store-arena.js';
import { SharedServer } from './shared-server.js';

describeEngine('EtcdLeaseStore', ['etcd'], () => {
  const server = new SharedServer();

  afterAll(() => server.stop());

  const open = async () => new EtcdStoreArena(await server.started());
  const faults = ['disconnect', 'data loss'] as const;
  for (const it of leaseStoreContract({ open, faults, leaseMs: STORE_LEASE_MS })) {
    test.concurrent(it.name, it.run, it.timeoutMs);
  }
});
