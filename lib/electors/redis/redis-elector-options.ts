import { InvalidOptionError } from '../../core/errors.js';
import { LEASE_ELECTOR_SETTINGS, type LeaseElectorSettings } from '../../core/lease/lease-elector-settings.js';
import { assertCount, assertObject, assertTimeout, rejectUnknownOptions } from '../../core/option-checks.js';
import { isClusterClient, isIoredisClient, isNodeRedisClient, type RedisClient } from './redis-client.js';
import type { ReplicaWait } from './replica-wait.js';

/**
 * Options of the RedisElector: exactly one of `url`, `options` and `client`, and those of all lease electors.
 *
 * @publicApi
 */
export interface RedisElectorOptions extends LeaseElectorSettings {
  /** `redis://` or, with TLS, `rediss://`; the elector makes and closes its own connections, with ioredis. */
  readonly url?: string;
  /**
   * Options of ioredis: host, port, username, password, db, tls, sentinels and so on. The elector makes and closes its own
   * connections. Those that decide how long a command may wait are always its own.
   */
  readonly options?: object;
  /** A client of ioredis or node-redis that is connected, or about to be. It is never changed, and never closed. */
  readonly client?: RedisClient;
  /**
   * With `client`: a second one for subscriptions. It is never closed.
   *
   * @default a duplicate of `client`, which the elector closes
   */
  readonly subscriber?: RedisClient;
  /**
   * Counts a lease as taken or renewed only when so many replicas of Redis have it.
   *
   * @default not waited for
   */
  readonly wait?: ReplicaWait;
  /**
   * In front of every key and channel, for users that may only use keys of some prefix.
   *
   * @default ''
   */
  readonly keyPrefix?: string;
}

const WHERE = 'RedisElector';
const SOURCES = ['url', 'options', 'client'] as const;
const KNOWN = [...LEASE_ELECTOR_SETTINGS, ...SOURCES, 'subscriber', 'wait', 'keyPrefix'];

/** Checks what only this engine knows. @throws InvalidOptionError, which never shows a password */
export function assertRedisOptions(options: RedisElectorOptions, requestTimeoutMs: number): void {
  rejectUnknownOptions(withoutSecrets(options), KNOWN, WHERE);
  assertOneSource(options);
  if (options.url !== undefined) assertUrl(options.url);
  if (options.options !== undefined) {
    assertObject('options', options.options, WHERE, 'Pass the options of ioredis: { host, port, password, ... }.');
  }
  if (options.client !== undefined) assertClient('client', options.client);
  if (options.subscriber !== undefined) assertSubscriber(options);
  if (options.wait !== undefined) assertWait(options, requestTimeoutMs);
  assertKeyPrefix(options.keyPrefix);
}

function assertOneSource(options: RedisElectorOptions): void {
  const given = SOURCES.filter((it) => options[it] !== undefined);
  if (given.length === 1) return;
  fail(
    'url',
    given.length === 0 ? undefined : `given together with ${given.join(', ')}`,
    'exactly one of url, options and client',
    "Pass { url: 'redis://localhost:6379' }, or options of ioredis, or a client.",
  );
}

function assertUrl(url: unknown): void {
  if (typeof url === 'string' && /^rediss?:\/\/./.test(url)) return;
  const shown = typeof url === 'string' ? url.replace(/\/\/.*@/, '//***@') : url;
  fail('url', shown, 'a text that begins with redis:// or rediss://', "Write 'redis://user:password@host:6379/0'.");
}

function assertClient(option: string, client: unknown): void {
  if (isIoredisClient(client) || isNodeRedisClient(client)) return;
  fail(
    option,
    describeClient(client),
    'a client of ioredis (Redis, Cluster) or of node-redis (createClient, createCluster)',
    'Pass one, or a url instead.',
  );
}

function assertSubscriber({ client, subscriber }: RedisElectorOptions): void {
  assertClient('subscriber', subscriber);
  if (client === undefined) {
    fail('subscriber', 'given without "client"', 'a second client beside "client"', 'Leave it out.');
  }
  if (client !== subscriber || isClusterClient(client)) return;
  fail('subscriber', 'the same as "client"', 'another client', 'Leave it out: then a duplicate is made.');
}

function assertWait({ wait, client }: RedisElectorOptions, requestTimeoutMs: number): void {
  assertObject('wait', wait, WHERE, 'Pass { replicas, timeoutMs }.');
  const { replicas, timeoutMs, ...others } = wait as ReplicaWait;
  rejectUnknownOptions(others, ['replicas', 'timeoutMs'], `wait of ${WHERE}`);
  const remedy = 'Pass { replicas: 1, timeoutMs: 500 }, or leave wait out.';
  if (replicas === undefined) fail('wait.replicas', replicas, 'an integer of at least 1', remedy);
  assertCount('wait.replicas', replicas, 1, WHERE);
  if (timeoutMs === undefined) fail('wait.timeoutMs', timeoutMs, 'milliseconds', remedy);
  assertTimeout('wait.timeoutMs', timeoutMs, WHERE);
  assertCount('wait.timeoutMs', timeoutMs, 1, WHERE);
  if (timeoutMs > requestTimeoutMs / 2) {
    const expected = `at most half of timing.requestTimeoutMs, which is ${requestTimeoutMs}`;
    fail('wait.timeoutMs', timeoutMs, expected, 'Shorten it, or lengthen the request timeout.');
  }
  if (client === undefined || !isClusterClient(client)) return;
  fail(
    'wait',
    'given together with a client of a cluster',
    'one primary',
    'Leave it out: no node can be asked for all.',
  );
}

function assertKeyPrefix(keyPrefix: unknown): void {
  if (keyPrefix === undefined || (typeof keyPrefix === 'string' && !/[{}]/.test(keyPrefix))) return;
  fail(
    'keyPrefix',
    keyPrefix,
    'a text without { and }',
    'In a cluster these decide where a key lives. Leave them out.',
  );
}

function describeClient(client: unknown): unknown {
  if (typeof client !== 'object' || client === null) return client;
  return `an object of class ${client.constructor?.name ?? 'unknown'}`;
}

/** Values stay out of the message about a name that is not known, unless they are plain. */
function withoutSecrets(options: RedisElectorOptions): object {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, typeof value === 'object' ? '...' : value]),
  );
}

function fail(option: string, value: unknown, expected: string, remedy: string): never {
  throw new InvalidOptionError({ option, value, where: WHERE, expected, remedy });
}
