import { afterAll, describe, test } from '@jest/globals';
import { electorContract } from '../../../lib/testing/contract/elector-contract.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { CLIENT_KINDS } from './client-kinds.js';
import { NatsArena } from './nats-arena.js';
import { SharedServer } from './shared-server.js';

describeEngine('NatsElector', ['nats-server'], () => {
  const server = new SharedServer();

  afterAll(() => server.stop());

  describe.each(CLIENT_KINDS)('with $name', (kind) => {
    const open = async () => NatsArena.open((await server.started()).port, kind);
    for (const it of electorContract({ open, faults: ['crash', 'disconnect'] })) {
      // Most of a case is waiting for leases to run out.
      test.concurrent(it.name, it.run, it.timeoutMs);
    }
  });
});
