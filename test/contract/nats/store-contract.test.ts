import { afterAll, describe, test } from '@jest/globals';
import { leaseStoreContract } from '../../../lib/testing/contract/lease-store-contract.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { CLIENT_KINDS } from './client-kinds.js';
import { NatsStoreArena, STORE_LEASE_MS } from './nats-store-arena.js';
import { SharedServer } from './shared-server.js';

describeEngine('NatsLeaseStore', ['nats-server'], () => {
  const server = new SharedServer();

  afterAll(() => server.stop());

  describe.each(CLIENT_KINDS)('with $name', (kind) => {
    const open = async () => new NatsStoreArena(await server.started(), kind);
    const faults = ['disconnect', 'data loss'] as const;
    for (const it of leaseStoreContract({ open, faults, leaseMs: STORE_LEASE_MS })) {
      test.concurrent(it.name, it.run, it.timeoutMs);
    }
  });
});
