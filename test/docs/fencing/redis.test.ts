import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { StaleTokenError } from 'nestjs-lifecycle';
import { RedisElector } from 'nestjs-lifecycle/electors/redis';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { RedisServer } from '../../fixtures/engines/redis-server.js';
import { PriceCache } from '../examples/fencing/redis-fence.js';
import { twoTerms, type Terms } from './lead.js';

describeEngine('docs/fencing.md on Redis', ['redis-server'], () => {
  let server: RedisServer;
  let redis: Redis;
  let terms: Terms;

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = new Redis(server.url);
    terms = await twoTerms(
      () => new RedisElector({ namespace: 'orders', url: server.url, timing: 'fast', emptyStoreWaitMs: 0 }),
    );
  }, 60_000);

  afterAll(async () => {
    await terms?.end();
    redis?.disconnect();
    await server?.stop();
  }, 60_000);

  it('lets the leader write as often as it likes, and refuses the one before it', async () => {
    const cache = new PriceCache(redis);

    await cache.set('tea', '1', terms.old);
    await cache.set('tea', '2', terms.current);
    await cache.set('tea', '3', terms.current);
    await expect(cache.set('tea', '4', terms.old)).rejects.toThrow(StaleTokenError);
    await expect(cache.set('milk', '5', terms.old)).rejects.toThrow(StaleTokenError);

    expect(await redis.mget('{prices}/tea', '{prices}/milk')).toEqual(['3', null]);
  });

  it('compares tokens of different lengths, and all of their digits', async () => {
    await redis.set('{prices}/fence', '9');
    const cache = new PriceCache(redis);

    await cache.set('tea', '1', { ...terms.current, fencingToken: 10n });
    await expect(cache.set('tea', '2', { ...terms.current, fencingToken: 9n })).rejects.toThrow(StaleTokenError);
    await cache.set('tea', '3', { ...terms.current, fencingToken: 2n ** 53n + 1n });
    await expect(cache.set('tea', '4', { ...terms.current, fencingToken: 2n ** 53n })).rejects.toThrow(StaleTokenError);
  });
});
