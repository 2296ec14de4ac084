import { describe, expect, test } from '@jest/globals';
import { EtcdElector, type EtcdElectorOptions } from 'nestjs-lifecycle/electors/etcd';
import { InvalidOptionError } from '../../../../lib/core/errors.js';

const endpoints = 'http://127.0.0.1:1';
const secure = 'https://127.0.0.1:1';
const namespace = 'orders';
const invalid = (options: object) => () => new EtcdElector(options as EtcdElectorOptions);

describe('An EtcdElector', () => {
  test.each<[string, object]>([
    ['one endpoint', { endpoints }],
    ['several', { endpoints: ['http://etcd-1:2379', 'http://etcd-2:2379/'] }],
    ['TLS', { endpoints: secure, tls: { ca: ['one', 'two'], cert: 'a', key: Buffer.from('b'), servername: 'etcd' } }],
    ['a user', { endpoints, username: 'app', password: '' }],
    ['a prefix', { endpoints, keyPrefix: '' }],
    ['short times', { endpoints, timing: 'fast' }],
  ])('can be made with %s, and connects to nothing before its first campaign', (_, options) => {
    expect(invalid({ namespace, ...options })).not.toThrow();
  });

  test.each<[string, object, RegExp]>([
    ['no namespace', { endpoints }, /"namespace".*is undefined/],
    ['no endpoint', { namespace }, /"endpoints".*is undefined.*Pass \{ endpoints/],
    ['an empty list', { namespace, endpoints: [] }, /"endpoints".*a list of at least one/],
    ['a list of something else', { namespace, endpoints: [2379] }, /"endpoints".*a list of at least one/],
    ['another protocol', { namespace, endpoints: 'redis://127.0.0.1' }, /"endpoints".*begin with http/],
    ['no protocol', { namespace, endpoints: '127.0.0.1:2379' }, /"endpoints".*begin with http/],
    ['a path', { namespace, endpoints: `${endpoints}/v3` }, /"endpoints".*nothing but protocol, host and port/],
    [
      'a user in a URL',
      { namespace, endpoints: 'http://app:secret@etcd' },
      /"endpoints".*Pass \{ username, password \}/,
    ],
    ['two protocols', { namespace, endpoints: [endpoints, secure] }, /"endpoints".*either http/],
    ['TLS over plain HTTP', { namespace, endpoints, tls: {} }, /"tls".*endpoints of https/],
    ['a certificate without a key', { namespace, endpoints: secure, tls: { cert: 'a' } }, /"tls.key".*Pass both/],
    ['a key without a certificate', { namespace, endpoints: secure, tls: { key: 'a' } }, /"tls.cert".*Pass both/],
    ['a typing error in tls', { namespace, endpoints: secure, tls: { cacert: 'a' } }, /"cacert".*no such option/],
    ['a user without a password', { namespace, endpoints, username: 'app' }, /"password".*together with "username"/],
    ['a password without a user', { namespace, endpoints, password: 'secret' }, /"username".*together with "password"/],
    ['a prefix that is none', { namespace, endpoints, keyPrefix: 1 }, /"keyPrefix".*is 1/],
    ['a typing error', { namespace, endpoint: endpoints }, /"endpoint".*no such option.*known: namespace/],
    ['times that do not fit', { namespace, endpoints, timing: { leaseMs: 1000 } }, /"timing".*renewMs \+ 2/],
  ])('is not made with %s', (_, options, message) => {
    expect(invalid(options)).toThrow(InvalidOptionError);
    expect(invalid(options)).toThrow(message);
  });

  test.each([
    { endpoints: 'http://app:secret@127.0.0.1' },
    { endpoints: 'ftp://app:secret@127.0.0.1' },
    { endpoints, password: 'secret' },
    { endpoints, username: 1, password: 'secret' },
    { endpoints, passwort: 'secret' },
    { endpoints: secure, tls: { key: 'secret' } },
    { endpoints: secure, tls: { keys: 'secret' } },
  ])('shows no password and no key in what it throws: %#', (options) => {
    let error: unknown;
    try {
      invalid({ namespace, ...options })();
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(JSON.stringify([String(error), error])).not.toContain('secret');
  });
});
