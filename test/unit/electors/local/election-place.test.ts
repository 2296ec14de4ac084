import { describe, expect, test } from '@jest/globals';
import { electionPlace, type ElectionScope } from '../../../../lib/electors/local/election-place.js';

const scope = (given: Partial<ElectionScope>): ElectionScope => ({
  platform: 'linux',
  user: '1000',
  namespace: 'orders',
  election: 'default',
  directory: '/var/lib/orders',
  ...given,
});
const longest = 'x'.repeat(63);

describe('the place of an election', () => {
  test('is an abstract socket on Linux that names user, namespace and election', () => {
    const { address, lockFile } = electionPlace(scope({}));

    expect(address).toMatch(/^\0nestjs-lifecycle\/1000\/orders\/default\.+$/);
    expect(lockFile).toBeUndefined();
  });

  test('has all of the bytes that the kernel takes on Linux, so that no version of Node fills it up', () => {
    const addresses = ['a', longest].map((election) => electionPlace(scope({ election, namespace: longest })).address);

    expect(addresses.map((it) => Buffer.byteLength(it))).toEqual([108, 108]);
  });

  test('is a named pipe on Windows', () => {
    const { address } = electionPlace(scope({ platform: 'win32', user: 'Jo%20Doe', directory: 'C:\\orders' }));

    expect(address).toBe('\\\\.\\pipe\\nestjs-lifecycle.Jo%20Doe.orders.default');
  });

  test('is a socket in the directory elsewhere, with a lock beside it', () => {
    const { address, lockFile, tokenFile } = electionPlace(scope({ platform: 'darwin' }));

    expect(address).toMatch(/^\/var\/lib\/orders\/[0-9a-f]{32}\.sock$/);
    expect([lockFile, tokenFile]).toEqual([address.replace('.sock', '.lock'), address.replace('.sock', '.token')]);
  });

  test('is refused in a directory that is too deep for a socket', () => {
    const deep = scope({ platform: 'darwin', directory: `/${'d'.repeat(80)}` });

    expect(() => electionPlace(deep)).toThrow(/"directory" in LocalElector .* at most 103 bytes/);
  });

  test.each(['linux', 'win32', 'darwin'] as const)('differs by user, namespace and election on %s', (platform) => {
    const users = ['1', '11'];
    const names = ['a', 'b', 'a-b', longest, `${longest.slice(1)}y`];
    const addresses = users.flatMap((user) =>
      names.flatMap((namespace) =>
        // The directory is the user's own where the socket is in it.
        names.map(
          (election) => electionPlace(scope({ platform, user, namespace, election, directory: `/t${user}` })).address,
        ),
      ),
    );

    expect(new Set(addresses).size).toBe(50);
  });
});
