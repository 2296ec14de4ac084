import { afterAll, describe, test } from '@jest/globals';
import { electorContract, leaseStoreContract } from 'nestjs-lifecycle/testing';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { MysqlServer } from '../../fixtures/engines/mysql-server.js';
import type { AccessKind } from './access.js';
import { MysqlArena } from './mysql-arena.js';
import { TIMING } from './timing.js';

/** The public suites, for one way to reach the server. A file for each way, since each takes its time. */
export function contractOf(kind: AccessKind, settings: Readonly<Record<string, string>> = {}): void {
  describeEngine(`MySQL with ${kind.name}`, ['mariadbd', 'mariadb-install-db'], () => {
    // Concurrent cases begin before beforeAll().
    let starting: Promise<MysqlServer> | undefined;
    const started = () => (starting ??= MysqlServer.start(settings));
    const open = async () => MysqlArena.open(await started(), kind);

    afterAll(async () => (await starting?.catch(() => undefined))?.stop());

    describe('the store', () => {
      for (const it of leaseStoreContract({ open, faults: ['disconnect', 'data loss'], leaseMs: TIMING.leaseMs })) {
        test.concurrent(it.name, it.run, it.timeoutMs);
      }
    });

    describe('MysqlElector', () => {
      for (const it of electorContract({ open, faults: ['crash', 'disconnect'] })) {
        // Most of a case is waiting for leases to run out.
        test.concurrent(it.name, it.run, it.timeoutMs);
      }
    });
  });
}
