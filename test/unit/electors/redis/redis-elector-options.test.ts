import { EventEmitter } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { RedisElector, type RedisElectorOptions } from 'nestjs-lifecycle/electors/redis';
import { InvalidOptionError } from '../../../../lib/core/errors.js';
import { FakeIoredis } from './fake-ioredis.js';

const url = 'redis://127.0.0.1:1';
const namespace = 'orders';
const client = new FakeIoredis();
const cluster = Object.assign(new FakeIoredis(), { isCluster: true });
const invalid = (options: object) => () => new RedisElector(options as RedisElectorOptions);

describe('A RedisElector', () => {
  test.each<[string, object]>([
    ['a URL', { url }],
    ['a URL with TLS', { url: 'rediss://user:secret@redis.example.com:6380/2' }],
    ['options', { options: { host: '127.0.0.1', port: 1 } }],
    ['a client', { client }],
    ['a client and a subscriber', { client, subscriber: new FakeIoredis() }],
    ['a client of a cluster that is its own subscriber', { client: cluster, subscriber: cluster }],
    ['replicas to wait for', { url, wait: { replicas: 1, timeoutMs: 750 } }],
    ['a prefix', { url, keyPrefix: 'app:' }],
  ])('can be made with %s, and connects to nothing before its first campaign', (_, options) => {
    expect(invalid({ namespace, ...options })).not.toThrow();
  });

  test.each<[string, object, RegExp]>([
    ['no namespace', { url }, /"namespace".*is undefined.*Rename it/],
    ['no source', { namespace }, /"url".*exactly one of url, options and client.*Pass \{ url/],
    ['two sources', { namespace, url, client }, /given together with url, client/],
    ['another protocol', { namespace, url: 'http://127.0.0.1' }, /"url".*begins with redis:\/\/ or rediss:\/\//],
    ['a number as URL', { namespace, url: 6379 }, /"url".*is 6379/],
    ['options that are none', { namespace, options: 'redis' }, /"options".*an object/],
    ['a client of something else', { namespace, client: new EventEmitter() }, /an object of class EventEmitter/],
    ['a subscriber without a client', { namespace, url, subscriber: client }, /"subscriber".*given without "client"/],
    ['one client for both', { namespace, client, subscriber: client }, /"subscriber".*a duplicate is made/],
    ['a wait that is none', { namespace, url, wait: 1 }, /"wait".*an object/],
    ['a wait for nobody', { namespace, url, wait: { replicas: 0, timeoutMs: 100 } }, /"wait.replicas".*at least 1/],
    ['a wait without an end', { namespace, url, wait: { replicas: 1 } }, /"wait.timeoutMs".*undefined/],
    ['a wait that is too long', { namespace, url, wait: { replicas: 1, timeoutMs: 751 } }, /at most half.*is 1500/],
    ['a wait of a cluster', { namespace, client: cluster, wait: { replicas: 1, timeoutMs: 9 } }, /"wait".*one primary/],
    ['a typing error in wait', { namespace, url, wait: { replicas: 1, timeoutMs: 9, ms: 1 } }, /"ms".*no such option/],
    ['a prefix with a brace', { namespace, url, keyPrefix: '{app}' }, /"keyPrefix".*without \{ and \}/],
    ['a typing error', { namespace, uri: url }, /"uri".*no such option.*known: namespace/],
    ['times that do not fit', { namespace, url, timing: { leaseMs: 1000 } }, /"timing".*renewMs \+ 2/],
  ])('is not made with %s', (_, options, message) => {
    expect(invalid(options)).toThrow(InvalidOptionError);
    expect(invalid(options)).toThrow(message);
  });

  test.each([
    { url: 'http://user:secret@127.0.0.1' },
    { url, options: { password: 'secret' } },
    { redisOptions: { password: 'secret' }, url },
    { client: { options: { password: 'secret' } } },
  ])('shows no password in what it throws: %#', (options) => {
    let error: unknown;
    try {
      invalid({ namespace, ...options })();
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('secret');
  });
});
