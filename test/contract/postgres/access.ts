import { Pool } from 'pg';
import type { PostgresElectorOptions } from 'nestjs-lifecycle/electors/postgres';

/** How an elector gets to its server, and what has to be closed after it. */
export interface Access {
  readonly options: Pick<PostgresElectorOptions, 'url' | 'options' | 'pool' | 'listen' | 'crashDetection'>;
  close(): Promise<void>;
}

export interface AccessKind {
  readonly name: string;
  readonly throughPgBouncer?: boolean;
  /**
   * @param port of the elector's own way to the server, or to a pgbouncer before it
   * @param serverPort of the server itself
   */
  open(port: number, serverPort: number): Access;
}

export function urlOf(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

const nothing = () => Promise.resolve();

export const BY_URL: AccessKind = {
  name: 'its own connections',
  open: (port) => ({ options: { url: urlOf(port) }, close: nothing }),
};

export const BY_POOL: AccessKind = {
  name: 'a pool that it was given',
  open(port) {
    const pool = new Pool({ connectionString: urlOf(port), max: 4 });
    pool.on('error', () => undefined);
    return { options: { pool }, close: () => endPool(pool) };
  },
};

export const BY_PGBOUNCER: AccessKind = {
  name: 'pgbouncer in transaction mode',
  throughPgBouncer: true,
  open: (port, serverPort) => ({
    options: { url: urlOf(port), listen: { url: urlOf(serverPort) } },
    close: nothing,
  }),
};

export const BY_SESSION: AccessKind = {
  name: 'sessions',
  open: (port) => ({ options: { url: urlOf(port), crashDetection: 'session' }, close: nothing }),
};

/** A pool does not end while one of its clients waits for an answer that never comes. */
async function endPool(pool: Pool): Promise<void> {
  const limit = new Promise<void>((resolve) => void setTimeout(resolve, 1000).unref());
  await Promise.race([pool.end(), limit]);
}
