import { afterAll, test } from '@jest/globals';
import { electorContract } from '../../../lib/testing/contract/elector-contract.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { EtcdArena } from './etcd-arena.js';
import { SharedServer } from './shared-server.js';

describeEngine('EtcdElector', ['etcd'], () => {
  const server = new SharedServer();

  afterAll(() => server.stop());

  const open = async () => EtcdArena.open(await server.started());
  for (const it of electorContract({ open, faults: ['crash', 'disconnect'] })) {
    // Most of a case is waiting for leases to run out.
    test.concurrent(it.name, it.run, it.timeoutMs);
  }
});
