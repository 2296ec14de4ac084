import type { Elector } from 'nestjs-lifecycle';

export const ENGINES = ['local', 'redis', 'postgres'] as const;

export interface ElectorChoice {
  readonly engine: (typeof ENGINES)[number];
  readonly namespace: string;
  /** Of the server. Without one: a server on this host, on the port that is usual for it. */
  readonly url?: string;
  /** Where the local elector keeps its tokens. */
  readonly directory: string;
}

/** Each elector has an entry of its own: only what is imported needs its client installed. */
export async function createElector({ engine, namespace, url, directory }: ElectorChoice): Promise<Elector> {
  switch (engine) {
    case 'local': {
      const { LocalElector } = await import('nestjs-lifecycle/electors/local');
      return new LocalElector({ namespace, directory });
    }
    case 'redis': {
      const { RedisElector } = await import('nestjs-lifecycle/electors/redis');
      return new RedisElector({ namespace, url: url ?? 'redis://127.0.0.1:6379', timing: 'fast' });
    }
    case 'postgres': {
      const { PostgresElector } = await import('nestjs-lifecycle/electors/postgres');
      return new PostgresElector({ namespace, url: url ?? 'postgres://127.0.0.1:5432/postgres', timing: 'fast' });
    }
  }
}
