import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { createClient } from 'redis';
import type { RedisElectorOptions } from 'nestjs-lifecycle/electors/redis';

/** What a user may hand to the elector, for a server on that port. */
export interface ClientOffer {
  readonly options: Pick<RedisElectorOptions, 'url' | 'options' | 'client'>;
  /** Ends what the user has made. */
  close(): void;
}

export interface ClientKind {
  readonly name: string;
  offer(port: number): ClientOffer;
}

const quiet = () => undefined;

function ioredis6(port: number): ClientOffer {
  const client = new Redis({ host: '127.0.0.1', port });
  client.on('error', quiet);
  return { options: { client }, close: () => client.disconnect() };
}

function ioredis5(port: number): ClientOffer {
  const client = new Redis5({ host: '127.0.0.1', port });
  client.on('error', quiet);
  return { options: { client }, close: () => client.disconnect() };
}

function nodeRedis(port: number): ClientOffer {
  const client = createClient({ socket: { host: '127.0.0.1', port } });
  client.on('error', quiet);
  client.connect().catch(quiet);
  return { options: { client }, close: () => (client.isOpen ? client.destroy() : undefined) };
}

/** Every client with the settings that it has by itself, and the one that the elector makes. */
export const CLIENT_KINDS: readonly ClientKind[] = [
  { name: 'a URL', offer: (port) => ({ options: { url: `redis://127.0.0.1:${port}` }, close: quiet }) },
  { name: 'a client of ioredis 6', offer: ioredis6 },
  { name: 'a client of ioredis 5', offer: ioredis5 },
  { name: 'a client of node-redis', offer: nodeRedis },
];
