import { systemClock } from '../../core/clock.js';
import { resolveLeaseElectorSettings } from '../../core/lease/lease-elector-settings.js';
import { LeaseElector } from '../../core/lease/lease-elector.js';
import { RedisConnections } from './redis-connections.js';
import { assertRedisOptions, type RedisElectorOptions } from './redis-elector-options.js';
import { RedisLeaseStore } from './redis-lease-store.js';

/**
 * Elects over a lease on one Redis or Valkey primary: one replica leads, and the next one follows within milliseconds of a
 * release, or within about a lease of a crash. Connects at the first campaign; `close()` ends the connections that it made.
 *
 * What it guarantees, and what it does not when Redis loses data or fails over, is in docs/redis.md.
 *
 * @publicApi
 */
export class RedisElector extends LeaseElector {
  /** @throws InvalidOptionError */
  constructor(options: RedisElectorOptions) {
    const { namespace, ...settings } = resolveLeaseElectorSettings(options, 'RedisElector');
    const { requestTimeoutMs } = settings.timing;
    assertRedisOptions(options, requestTimeoutMs);
    const { url, options: clientOptions, client, subscriber, wait, keyPrefix = '' } = options;
    const source = {
      ...(url !== undefined && { url }),
      ...(clientOptions !== undefined && { options: clientOptions }),
      ...(client !== undefined && { client }),
      ...(subscriber !== undefined && { subscriber }),
    };
    const connections = new RedisConnections(source, requestTimeoutMs);
    const clock = settings.clock ?? systemClock;
    super({
      ...settings,
      store: new RedisLeaseStore({ connections, namespace, keyPrefix, requestTimeoutMs, wait, clock }),
    });
  }
}
