// mysql-fence.ts
import { StaleTokenError, type LeadershipTerm } from 'nestjs-lifecycle';
import type { Connection, RowDataPacket } from 'mysql2/promise';

export const CREATE_FENCES = 'CREATE TABLE IF NOT EXISTS fences (name VARCHAR(128) PRIMARY KEY, token BIGINT NOT NULL)';

/** In the migration that creates the table: a row that is not there lets nobody pass. */
export const ADD_FENCE = 'INSERT IGNORE INTO fences (name, token) VALUES (?, 0)';

const PASS = 'SELECT 1 FROM fences WHERE name = ? AND token <= CAST(? AS SIGNED) FOR UPDATE';
const RAISE = 'UPDATE fences SET token = CAST(? AS SIGNED) WHERE name = ?';

/** The first statement of each transaction that writes. Until that one ends, no other passes. */
export async function passFence(connection: Connection, { election, fencingToken }: LeadershipTerm): Promise<void> {
  const token = String(fencingToken);
  const [rows] = await connection.query<RowDataPacket[]>(PASS, [election, token]);
  if (rows.length === 0) throw new StaleTokenError(election, fencingToken);
  await connection.query(RAISE, [token, election]);
}
