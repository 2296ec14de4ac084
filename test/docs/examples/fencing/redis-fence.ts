// redis-fence.ts
import type { Redis } from 'ioredis';
import { StaleTokenError, type LeadershipTerm } from 'nestjs-lifecycle';

/** Tokens are compared as texts of digits, the longer one is larger: a number of Lua is exact up to 2^53 only. */
const SET_IF_NEWEST = `
  local highest = redis.call('GET', KEYS[1]) or '0'
  local token = ARGV[1]
  if #token < #highest or (#token == #highest and token < highest) then return 0 end
  redis.call('SET', KEYS[1], token)
  redis.call('SET', KEYS[2], ARGV[2])
  return 1`;

export class PriceCache {
  constructor(private readonly redis: Redis) {}

  /** Both keys have one hash tag, so that a cluster keeps them on one node. */
  async set(article: string, price: string, term: LeadershipTerm): Promise<void> {
    const [fence, key] = ['{prices}/fence', `{prices}/${article}`];
    const stored = await this.redis.eval(SET_IF_NEWEST, 2, fence, key, String(term.fencingToken), price);
    if (stored === 0) throw new StaleTokenError(term.election, term.fencingToken);
  }
}
