import { describe, expect, test } from '@jest/globals';
import { NatsElector, type NatsElectorOptions } from 'nestjs-lifecycle/electors/nats';
import { InvalidOptionError } from '../../../../lib/core/errors.js';

const client = Object.fromEntries(
  ['isClosed', 'isDraining', 'status', 'request', 'publish', 'subscribe', 'flush', 'close'].map((it) => [
    it,
    () => false,
  ]),
);
const wrong = (options: object) => {
  try {
    return new NatsElector(options as NatsElectorOptions).constructor.name;
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidOptionError);
    return String(error);
  }
};

describe('NatsElector', () => {
  test.each([
    { servers: 'localhost:4222' },
    { servers: ['nats://a:4222', 'nats://b:4222'], bucket: 'leases_1', replicas: 3 },
    { options: { servers: 'localhost', user: 'a', pass: 'b' } },
    { client },
  ])('takes %j', (source) => {
    expect(new NatsElector({ namespace: 'orders', ...source } as NatsElectorOptions)).toBeInstanceOf(NatsElector);
  });

  test.each([
    [{}, /"servers" in NatsElector is undefined.*exactly one of servers, options and client/],
    [{ servers: 'a', client }, /given together with servers, client/],
    [{ servers: [] }, /an address, or several/],
    [{ servers: [7] }, /an address, or several/],
    [{ servers: ' ' }, /an address, or several/],
    [{ options: 'localhost' }, /"options".*an object/],
    [{ client: {} }, /an object of class Object.*resolved to \(with await\)/],
    [{ client: Promise.resolve(client) }, /an object of class Promise/],
    [{ servers: 'a', bucket: 'a.b' }, /"bucket".*letters, digits/],
    [{ servers: 'a', replicas: 2 }, /"replicas".*1, 3 or 5/],
    [{ servers: 'a', url: 'nats://a' }, /"url".*no such option/],
    [{ servers: 'a', namespace: 'Orders' }, /"namespace"/],
  ])('refuses %j with what to do', (options, message) => {
    expect(wrong({ namespace: 'orders', ...options })).toMatch(message);
  });

  test('refuses credentials in an address, which the client would drop, and does not show them', () => {
    const text = wrong({ namespace: 'orders', servers: 'nats://orders:secret@localhost:4222' });

    expect(text).toMatch(/nats:\/\/\*\*\*@localhost:4222.*user, pass/);
    expect(text).not.toContain('secret');
  });
});
