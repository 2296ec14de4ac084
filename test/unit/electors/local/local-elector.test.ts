import { describe, expect, test } from '@jest/globals';
import { InvalidOptionError, type Candidate } from 'nestjs-lifecycle';
import { CampaignUnderWayError } from '../../../../lib/core/errors.js';
import { LocalElector, type LocalElectorOptions } from 'nestjs-lifecycle/electors/local';

const nobody: Candidate = {
  identity: 'a',
  onElected: async () => undefined,
  onLeaderObserved: () => undefined,
  onReport: () => undefined,
};

describe('LocalElector', () => {
  test.each<[string, unknown, string]>([
    ['no options', undefined, 'options'],
    ['no namespace', {}, 'namespace'],
    ['a namespace that is no name', { namespace: 'Orders' }, 'namespace'],
    ['a relative directory', { namespace: 'orders', directory: 'tokens' }, 'directory'],
    ['a directory that is no text', { namespace: 'orders', directory: 5 }, 'directory'],
    ['spread that is no boolean', { namespace: 'orders', spread: 1 }, 'spread'],
    ['an empty address', { namespace: 'orders', address: '' }, 'address'],
    ['no clock', { namespace: 'orders', clock: {} }, 'clock'],
    ['an option that is not known', { namespace: 'orders', timing: 'fast' }, 'timing'],
  ])('rejects %s', (_what, options, option) => {
    const create = () => new LocalElector(options as LocalElectorOptions);

    expect(create).toThrow(InvalidOptionError);
    expect(create).toThrow(expect.objectContaining({ option }));
  });

  test('rejects an election that is no name', async () => {
    const elector = new LocalElector({ namespace: 'orders' });

    await expect(elector.campaign('../x', nobody, AbortSignal.abort())).rejects.toThrow(InvalidOptionError);
  });

  test('stands for an election once at a time', async () => {
    const elector = new LocalElector({ namespace: `once-${process.pid}`, directory: '/dev/null/x' });
    const end = new AbortController();
    const first = elector.campaign('default', nobody, end.signal);

    await expect(elector.campaign('default', nobody, end.signal)).rejects.toThrow(CampaignUnderWayError);

    end.abort();
    await first;
  });

  test('says in its diagnosis where tokens cannot be kept, and what to do', async () => {
    const elector = new LocalElector({ namespace: 'orders', directory: '/dev/null/x' });

    expect(await elector.diagnose()).toEqual([
      expect.objectContaining({ level: 'ok' }),
      expect.objectContaining({ level: 'error', remedy: expect.stringContaining('directory') }),
    ]);
  });
});
