import { EventEmitter } from 'node:events';
import type { MysqlPoolConnection } from '../../../../lib/electors/mysql/mysql-elector-options.js';
import { PoolConnections } from '../../../../lib/electors/mysql/pool-connections.js';

/** The answer to a statement: rows, or what it has done. */
export type Answer = (sql: string) => unknown;

/** That a statement was carried out and is committed. */
export const DONE = { affectedRows: 0, insertId: 0, serverStatus: 2 };

/** A connection of a pool whose answers a test decides. */
export class ScriptedClient extends EventEmitter implements MysqlPoolConnection {
  readonly statements: string[] = [];
  /** Whether it was given back, and how. */
  released: 'no' | 'returned' | 'destroyed' = 'no';

  constructor(private readonly answer: Answer) {
    super();
  }

  async query({ sql }: { sql: string }): Promise<[unknown]> {
    this.statements.push(sql);
    return [await this.answer(sql)];
  }

  release(): void {
    this.released = 'returned';
  }

  destroy(): void {
    this.released = 'destroyed';
  }
}

export function scripted(answer: Answer) {
  const clients: ScriptedClient[] = [];
  const pool = {
    async getConnection() {
      const client = new ScriptedClient(answer);
      clients.push(client);
      return client;
    },
  };
  return { clients, connections: new PoolConnections(pool) };
}

/** As the server says it. */
export function serverError(errno: number, message = 'it fails'): Error {
  return Object.assign(new Error(message), { errno, sqlState: 'HY000' });
}
