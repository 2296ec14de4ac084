import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StaleTokenError } from 'nestjs-lifecycle';
import { PostgresElector } from 'nestjs-lifecycle/electors/postgres';
import { Pool } from 'pg';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { BalanceTable, CREATE_BALANCES } from '../examples/fencing/balance-table.js';
import { InvoiceBook } from '../examples/fencing/invoice-book.js';
import { CREATE_FENCES, holdFence, raiseFence } from '../examples/fencing/postgres-fence.js';
import { inTransaction } from '../examples/fencing/transaction.js';
import { twoTerms, type Terms } from './lead.js';

describeEngine('docs/fencing.md on PostgreSQL', ['postgres', 'initdb'], () => {
  let server: PostgresServer;
  let pool: Pool;
  let terms: Terms;

  const makeElector = () =>
    new PostgresElector({ namespace: 'orders', url: server.url, timing: 'fast', emptyStoreWaitMs: 0 });

  beforeAll(async () => {
    server = await PostgresServer.start();
    pool = new Pool({ connectionString: server.url });
    terms = await twoTerms(makeElector);
  }, 60_000);

  afterAll(async () => {
    await terms?.end();
    await pool?.end();
    await server?.stop();
  }, 60_000);

  describe('the fence of the elector', () => {
    it('lets the leader write as often as it likes, and refuses the one before it', async () => {
      await pool.query('CREATE TABLE invoices (order_id int)');
      const book = new InvoiceBook(pool, makeElector().fence);

      await book.add(1, terms.current);
      await book.add(2, terms.current);
      await expect(book.add(3, terms.old)).rejects.toThrow(StaleTokenError);

      const { rows } = await pool.query('SELECT order_id FROM invoices ORDER BY order_id');
      expect(rows).toEqual([{ order_id: 1 }, { order_id: 2 }]);
    });
  });

  describe('a fence of your own', () => {
    beforeAll(() => pool.query(CREATE_FENCES));

    it('is raised by the new leader, again by the same one, and not by the one before it', async () => {
      await inTransaction(pool, (client) => raiseFence(client, terms.old));
      await inTransaction(pool, (client) => raiseFence(client, terms.current));
      await inTransaction(pool, (client) => raiseFence(client, terms.current));

      await expect(inTransaction(pool, (client) => raiseFence(client, terms.old))).rejects.toThrow(StaleTokenError);
      await expect(inTransaction(pool, (client) => holdFence(client, terms.old))).rejects.toThrow(StaleTokenError);
    });

    it('is held by transactions of one term side by side', async () => {
      await inTransaction(pool, (client) => raiseFence(client, terms.current));

      await inTransaction(pool, async (client) => {
        await holdFence(client, terms.current);
        await inTransaction(pool, (other) => holdFence(other, terms.current));
      });
    });

    it('is not raised while a transaction of an older term holds it', async () => {
      const next = { ...terms.current, fencingToken: terms.current.fencingToken + 1n };
      await inTransaction(pool, (client) => raiseFence(client, terms.current));
      const order: string[] = [];

      const raised = await inTransaction(pool, async (client) => {
        await holdFence(client, terms.current);
        const waiting = inTransaction(pool, (other) => raiseFence(other, next)).then(() => order.push('raised'));
        await lockIsAwaited();
        order.push('committing');
        return [waiting];
      });
      await Promise.all(raised);

      expect(order).toEqual(['committing', 'raised']);
      await expect(inTransaction(pool, (client) => holdFence(client, terms.current))).rejects.toThrow(StaleTokenError);
    });
  });

  describe('a token beside the data', () => {
    it('lets the leader write again, and refuses the one before it from then on', async () => {
      await pool.query(CREATE_BALANCES);
      await pool.query("INSERT INTO balances (account, cents) VALUES ('a', 0), ('b', 0)");
      const table = new BalanceTable(pool);

      await table.set('a', 100, terms.old);
      await table.set('a', 200, terms.current);
      await table.set('a', 300, terms.current);
      await expect(table.set('a', 400, terms.old)).rejects.toThrow(StaleTokenError);

      const { rows } = await pool.query("SELECT cents FROM balances WHERE account = 'a'");
      expect(rows).toEqual([{ cents: '300' }]);
    });

    it('does not keep it from a row that the leader has not written to', async () => {
      await expect(new BalanceTable(pool).set('b', 400, terms.old)).resolves.toBeUndefined();
    });
  });

  async function lockIsAwaited(): Promise<void> {
    for (;;) {
      const [row] = await server.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
      if (row !== undefined) return;
    }
  }
});
