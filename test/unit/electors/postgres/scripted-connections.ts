import { EventEmitter } from 'node:events';
import { PoolConnections } from '../../../../lib/electors/postgres/pool-connections.js';
import type { PostgresPoolClient } from '../../../../lib/electors/postgres/postgres-elector-options.js';

export type Answer = (text: string) => Promise<{ rows: unknown[] }> | { rows: unknown[] };

/** A client of a pool whose answers a test decides. */
export class ScriptedClient extends EventEmitter implements PostgresPoolClient {
  processID = 17;
  status = 'I';
  readonly statements: string[] = [];
  readonly values: unknown[][] = [];
  /** Whether it was given back, and how. */
  released: 'no' | 'returned' | 'destroyed' = 'no';

  constructor(private readonly answer: Answer) {
    super();
  }

  async query({ text, values }: { text: string; values: unknown[] }): Promise<{ rows: unknown[] }> {
    this.statements.push(text);
    this.values.push(values);
    return this.answer(text);
  }

  release(destroy = false): void {
    this.released = destroy ? 'destroyed' : 'returned';
  }

  getTransactionStatus(): string {
    return this.status;
  }
}

export function scripted(answer: Answer) {
  const clients: ScriptedClient[] = [];
  const pool = {
    async connect() {
      const client = new ScriptedClient(answer);
      clients.push(client);
      return client;
    },
  };
  return { clients, connections: new PoolConnections(pool) };
}

/** As the server says it. */
export function serverError(code: string, message = 'it fails'): Error {
  return Object.assign(new Error(message), { code, severity: 'ERROR' });
}
