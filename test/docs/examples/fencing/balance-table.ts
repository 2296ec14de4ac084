// balance-table.ts
import { StaleTokenError, type LeadershipTerm } from 'nestjs-lifecycle';
import type { Pool } from 'pg';

export const CREATE_BALANCES =
  'CREATE TABLE IF NOT EXISTS balances (account text PRIMARY KEY, cents bigint NOT NULL, token bigint NOT NULL DEFAULT 0)';

export class BalanceTable {
  constructor(private readonly pool: Pool) {}

  async set(account: string, cents: number, term: LeadershipTerm): Promise<void> {
    const { rowCount } = await this.pool.query(
      'UPDATE balances SET cents = $2, token = $3 WHERE account = $1 AND token <= $3',
      [account, cents, String(term.fencingToken)],
    );
    if (rowCount === 0) throw new StaleTokenError(term.election, term.fencingToken);
  }
}
