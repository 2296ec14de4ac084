import { afterAll, describe, test } from '@jest/globals';
import { electorContract, leaseStoreContract } from 'nestjs-lifecycle/testing';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { BY_SESSION, type AccessKind } from './access.js';
import { PostgresArena } from './postgres-arena.js';
import { SharedServers } from './shared-servers.js';
import { TIMING } from './timing.js';

/**
 * With sessions this must not happen: the holder is there, and has its lock. session.test.ts shows that it does not, and
 * that it does once the session of the holder has ended.
 */
const TAKEN_FROM_THE_LIVING = 'a lease whose version has not changed can be taken from its holder, and not once it has';

/** The public suites, for one way to reach the server. A file for each way, since each takes its time. */
export function contractOf(kind: AccessKind): void {
  const throughPgBouncer = kind.throughPgBouncer === true;
  describeEngine(`PostgreSQL with ${kind.name}`, throughPgBouncer ? ['postgres', 'pgbouncer'] : ['postgres'], () => {
    const servers = new SharedServers(throughPgBouncer);

    afterAll(() => servers.stop());

    const open = async () => {
      const { server, port } = await servers.started();
      return PostgresArena.open(server, kind, port);
    };

    describe('the store', () => {
      const cases = leaseStoreContract({ open, faults: ['disconnect', 'data loss'], leaseMs: TIMING.leaseMs });
      for (const it of cases.filter(({ name }) => kind !== BY_SESSION || name !== TAKEN_FROM_THE_LIVING)) {
        test.concurrent(it.name, it.run, it.timeoutMs);
      }
    });

    describe('PostgresElector', () => {
      for (const it of electorContract({ open, faults: ['crash', 'disconnect'] })) {
        // Most of a case is waiting for leases to run out.
        test.concurrent(it.name, it.run, it.timeoutMs);
      }
    });
  });
}
