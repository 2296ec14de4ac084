// invoice-book.ts
import type { LeadershipTerm } from 'nestjs-lifecycle';
import type { PostgresFence } from 'nestjs-lifecycle/electors/postgres';
import type { Pool } from 'pg';
import { inTransaction } from './transaction.js';

export class InvoiceBook {
  /** @param fence `elector.fence` of a PostgresElector */
  constructor(
    private readonly pool: Pool,
    private readonly fence: PostgresFence,
  ) {}

  async add(order: number, term: LeadershipTerm): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      await this.fence.assert(client, term);
      await client.query('INSERT INTO invoices (order_id) VALUES ($1)', [order]);
    });
  }
}
