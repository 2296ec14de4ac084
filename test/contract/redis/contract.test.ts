import { afterAll, describe, test } from '@jest/globals';
import { electorContract } from '../../../lib/testing/contract/elector-contract.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { CLIENT_KINDS } from './client-kinds.js';
import { RedisArena } from './redis-arena.js';
import { SharedServer } from './shared-server.js';

const KINDS = { 'redis-server': CLIENT_KINDS, 'valkey-server': CLIENT_KINDS.slice(0, 1) } as const;

describe.each(['redis-server', 'valkey-server'] as const)('on %s', (binary) => {
  describeEngine('RedisElector', [binary], () => {
    const server = new SharedServer({ binary });

    afterAll(() => server.stop());

    describe.each(KINDS[binary])('with $name', (kind) => {
      const open = async () => RedisArena.open((await server.started()).port, kind);
      for (const it of electorContract({ open, faults: ['crash', 'disconnect'] })) {
        // Most of a case is waiting for leases to run out.
        test.concurrent(it.name, it.run, it.timeoutMs);
      }
    });
  });
});
