import { createPool as createCallbackPool } from 'mysql2';
import { createPool } from 'mysql2/promise';
import type { MysqlElectorOptions } from 'nestjs-lifecycle/electors/mysql';

/** How an elector gets to its server, and what has to be closed after it. */
export interface Access {
  readonly options: Pick<MysqlElectorOptions, 'url' | 'options' | 'pool' | 'hints'>;
  close(): Promise<void>;
}

export interface AccessKind {
  readonly name: string;
  /** @param port of the elector's own way to the server */
  open(port: number): Access;
}

export function urlOf(port: number): string {
  return `mysql://tester@127.0.0.1:${port}/services`;
}

const nothing = () => Promise.resolve();

export const BY_URL: AccessKind = {
  name: 'its own connections',
  open: (port) => ({ options: { url: urlOf(port) }, close: nothing }),
};

export const BY_POOL: AccessKind = {
  name: 'a pool that it was given',
  open(port) {
    const pool = createPool({ uri: urlOf(port), connectionLimit: 6 });
    return { options: { pool }, close: () => endPool(pool) };
  },
};

/** Counts rows that were changed, casts by ideas of its own, and has no room for hints. */
export const BY_ODD_POOL: AccessKind = {
  name: 'a small pool with settings of its own',
  open(port) {
    const pool = createCallbackPool({
      uri: urlOf(port),
      connectionLimit: 2,
      flags: ['-FOUND_ROWS'],
      rowsAsArray: true,
      namedPlaceholders: true,
      timezone: '+03:00',
      typeCast: () => 'mine',
    });
    return { options: { pool }, close: () => endPool(pool.promise()) };
  },
};

/** A pool does not end while one of its connections waits for an answer that never comes. */
async function endPool(pool: { end(): Promise<void> }): Promise<void> {
  const limit = new Promise<void>((resolve) => void setTimeout(resolve, 1000).unref());
  await Promise.race([pool.end().catch(() => undefined), limit]);
}
