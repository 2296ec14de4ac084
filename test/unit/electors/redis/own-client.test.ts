import { describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { ownClientArguments, safeSettings } from '../../../../lib/electors/redis/own-client.js';

const SETTINGS = safeSettings(1500);

/** What a client ends up with. It is lazy, so that nothing is connected. */
const KINDS: readonly [string, (target: { url?: string; options?: object }) => Record<string, unknown>][] = [
  ['ioredis 6', (target) => optionsOf(new Redis(...argumentsFor(target)))],
  ['ioredis 5', (target) => optionsOf(new Redis5(...argumentsFor(target)))],
];

/** The types of ioredis know another order only. */
function argumentsFor(target: { url?: string; options?: object }): [object] {
  return [...ownClientArguments(target, SETTINGS)] as unknown as [object];
}

function optionsOf(client: { readonly status: string; readonly options: unknown }): Record<string, unknown> {
  expect(client.status).toBe('wait');
  return client.options as Record<string, unknown>;
}

describe.each(KINDS)('A client of our own, of %s,', (_, optionsFor) => {
  const unsafe = {
    ...Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, 'true'])),
    enableReadyCheck: 'true',
  };

  test.each<[string, { url?: string; options?: object }]>([
    ['the query of its URL', { url: `redis://127.0.0.1:1?${new URLSearchParams(unsafe).toString()}` }],
    ['its options', { options: { host: '127.0.0.1', port: 1, ...unsafe } }],
    ['nobody', { url: 'redis://127.0.0.1:1' }],
  ])('has the settings that keep it from sending late, whatever is said by %s', (__, target) => {
    expect(optionsFor(target)).toMatchObject({ ...SETTINGS, enableReadyCheck: false, host: '127.0.0.1', port: 1 });
  });

  test('takes from its URL what is no matter of safety', () => {
    const url = 'rediss://user:secret@redis.example.com:6380/2?family=6&connectionName=mine';

    expect(optionsFor({ url })).toMatchObject({
      host: 'redis.example.com',
      port: 6380,
      db: 2,
      username: 'user',
      password: 'secret',
      tls: true,
      family: 6,
      connectionName: 'mine',
      keepAlive: 10_000,
    });
    expect(optionsFor({ url: 'redis://127.0.0.1:1' })).toMatchObject({ connectionName: 'nestjs-lifecycle' });
  });

  test('checks whether it is ready only where sentinels name the server', () => {
    const options = { sentinels: [{ host: '127.0.0.1', port: 1 }], name: 'main' };

    expect(optionsFor({ options })).toMatchObject({ ...SETTINGS, enableReadyCheck: true });
  });
});
