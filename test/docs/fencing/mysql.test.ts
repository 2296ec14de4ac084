import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createConnection, type Connection } from 'mysql2/promise';
import { StaleTokenError, type LeadershipTerm } from 'nestjs-lifecycle';
import { MysqlElector } from 'nestjs-lifecycle/electors/mysql';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { MysqlServer } from '../../fixtures/engines/mysql-server.js';
import { ADD_FENCE, CREATE_FENCES, passFence } from '../examples/fencing/mysql-fence.js';
import { twoTerms, type Terms } from './lead.js';

describeEngine('docs/fencing.md on MySQL', ['mariadbd', 'mariadb-install-db'], () => {
  let server: MysqlServer;
  let connection: Connection;
  let terms: Terms;

  beforeAll(async () => {
    server = await MysqlServer.start();
    connection = await createConnection(server.url);
    await connection.query(CREATE_FENCES);
    await connection.query(ADD_FENCE, ['invoices']);
    terms = await twoTerms(
      () => new MysqlElector({ namespace: 'orders', url: server.url, timing: 'fast', emptyStoreWaitMs: 0 }),
    );
  }, 60_000);

  afterAll(async () => {
    await terms?.end();
    await connection?.end();
    await server?.stop();
  }, 60_000);

  async function transaction(term: LeadershipTerm): Promise<void> {
    await connection.beginTransaction();
    try {
      await passFence(connection, term);
      await connection.commit();
    } catch (error) {
      await connection.rollback();
      throw error;
    }
  }

  it('lets the leader pass as often as it likes, and refuses the one before it', async () => {
    await transaction(terms.old);
    await transaction(terms.current);
    await transaction(terms.current);

    await expect(transaction(terms.old)).rejects.toThrow(StaleTokenError);
  });

  it('compares all digits of a token', async () => {
    await transaction({ ...terms.current, fencingToken: 2n ** 53n + 1n });

    await expect(transaction({ ...terms.current, fencingToken: 2n ** 53n })).rejects.toThrow(StaleTokenError);
  });

  it('lets nobody pass a fence that is not there', async () => {
    await expect(transaction({ ...terms.current, election: 'mails' })).rejects.toThrow(StaleTokenError);
  });
});
