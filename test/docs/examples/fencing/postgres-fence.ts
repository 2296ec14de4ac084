// postgres-fence.ts
import { StaleTokenError, type LeadershipTerm } from 'nestjs-lifecycle';
import type { ClientBase } from 'pg';

export const CREATE_FENCES = 'CREATE TABLE IF NOT EXISTS fences (name text PRIMARY KEY, token bigint NOT NULL)';

const RAISE = `INSERT INTO fences AS fence (name, token) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET token = EXCLUDED.token WHERE fence.token <= EXCLUDED.token`;

const HOLD = 'SELECT 1 FROM fences WHERE name = $1 AND token = $2 FOR SHARE';

/** Refuses older terms from here on, once the transaction is committed. */
export async function raiseFence(client: ClientBase, term: LeadershipTerm): Promise<void> {
  await pass(client, RAISE, term);
}

/** Until the transaction ends, nobody raises the fence. For a term that has raised it. */
export async function holdFence(client: ClientBase, term: LeadershipTerm): Promise<void> {
  await pass(client, HOLD, term);
}

async function pass(client: ClientBase, sql: string, term: LeadershipTerm): Promise<void> {
  const { rowCount } = await client.query(sql, [term.election, String(term.fencingToken)]);
  if (rowCount === 0) throw new StaleTokenError(term.election, term.fencingToken);
}
