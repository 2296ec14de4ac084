import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { electorContract, leaseStoreContract } from 'nestjs-lifecycle/testing';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PgBouncerServer } from '../../fixtures/engines/pgbouncer-server.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { ACCESS_KINDS, BY_SESSION } from './access.js';
import { PostgresArena } from './postgres-arena.js';
import { TIMING } from './timing.js';

/**
 * With sessions this must not happen: the holder is there, and has its lock. session.test.ts shows that it does not, and
 * that it does once the session of the holder has ended.
 */
const TAKEN_FROM_THE_LIVING = 'a lease whose version has not changed can be taken from its holder, and not once it has';

describe.each(ACCESS_KINDS)('with $name', (kind) => {
  const throughPgBouncer = kind.throughPgBouncer === true;
  describeEngine('PostgreSQL', throughPgBouncer ? ['postgres', 'pgbouncer'] : ['postgres'], () => {
    let server: PostgresServer;
    let pgBouncer: PgBouncerServer | undefined;

    beforeAll(async () => {
      server = await PostgresServer.start();
      if (throughPgBouncer) pgBouncer = await PgBouncerServer.start({ target: server, poolMode: 'transaction' });
    });

    afterAll(async () => {
      await pgBouncer?.stop();
      await server.stop();
    });

    const open = () => PostgresArena.open(server, kind, pgBouncer?.port);

    describe('the store', () => {
      const cases = leaseStoreContract({ open, faults: ['disconnect', 'data loss'], leaseMs: TIMING.leaseMs });
      for (const it of cases.filter(({ name }) => kind !== BY_SESSION || name !== TAKEN_FROM_THE_LIVING)) {
        test(it.name, it.run, it.timeoutMs);
      }
    });

    describe('PostgresElector', () => {
      for (const it of electorContract({ open, faults: ['crash', 'disconnect'] })) test(it.name, it.run, it.timeoutMs);
    });
  });
});
