import { describe, expect, test } from '@jest/globals';
import { InvalidOptionError } from '../../../lib/core/errors.js';
import { resolveLeaseElectorSettings } from '../../../lib/core/lease/lease-elector-settings.js';

const resolve = (options: unknown) => resolveLeaseElectorSettings(options as { namespace: string }, 'RedisElector');

describe('the settings of a lease elector', () => {
  test.each([
    [undefined, 'options'],
    ['orders', 'options'],
    [{}, 'namespace'],
    [{ namespace: '' }, 'namespace'],
    [{ namespace: 'Orders' }, 'namespace'],
    [{ namespace: 'orders', timing: 'slow' }, 'timing'],
    [{ namespace: 'orders', emptyStoreWaitMs: -1 }, 'emptyStoreWaitMs'],
    [{ namespace: 'orders', shutdownTimeoutMs: '25s' }, 'shutdownTimeoutMs'],
    [{ namespace: 'orders', spread: 1 }, 'spread'],
    [{ namespace: 'orders', address: ' ' }, 'address'],
    [{ namespace: 'orders', clock: {} }, 'clock'],
  ])('%j are refused by the name of what is wrong and where: %s', (options, option) => {
    expect(() => resolve(options)).toThrow(InvalidOptionError);
    expect(() => resolve(options)).toThrow(option);
    expect(() => resolve(options)).toThrow('RedisElector');
  });

  test('that were not given leave the defaults to the elector', () => {
    expect(resolve({ namespace: 'orders', spread: undefined })).toEqual({
      namespace: 'orders',
      timing: expect.objectContaining({ leaseMs: 8000, deadlineMs: 5700 }),
    });
  });

  test('that were given are handed on', () => {
    const given = { emptyStoreWaitMs: 0, shutdownTimeoutMs: 1000, spread: true, address: 'http://10.0.0.1:3000' };
    expect(resolve({ namespace: 'orders', ...given })).toMatchObject(given);
  });
});
