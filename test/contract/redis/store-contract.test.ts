import { afterAll, describe, test } from '@jest/globals';
import { leaseStoreContract } from '../../../lib/testing/contract/lease-store-contract.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { CLIENT_KINDS } from './client-kinds.js';
import { RedisStoreArena, STORE_LEASE_MS } from './redis-store-arena.js';
import { SharedServer } from './shared-server.js';

const KINDS = { 'redis-server': CLIENT_KINDS, 'valkey-server': CLIENT_KINDS.slice(0, 1) } as const;

describe.each(['redis-server', 'valkey-server'] as const)('on %s', (binary) => {
  describeEngine('RedisLeaseStore', [binary], () => {
    const server = new SharedServer({ binary });

    afterAll(() => server.stop());

    describe.each(KINDS[binary])('with $name', (kind) => {
      const open = async () => new RedisStoreArena(await server.started(), kind);
      const faults = ['disconnect', 'data loss'] as const;
      for (const it of leaseStoreContract({ open, faults, leaseMs: STORE_LEASE_MS })) {
        test.concurrent(it.name, it.run, it.timeoutMs);
      }
    });
  });
});
