import { describe, expect, test } from '@jest/globals';
import { EngineRefusalError, EngineStandbyError } from '../../../../lib/core/errors.js';
import { asEngineError } from '../../../../lib/electors/redis/redis-errors.js';

describe('An error of Redis', () => {
  test.each([
    ['NOAUTH Authentication required.', /Give one in the URL/],
    ['Ready check failed: NOAUTH Authentication required.', /Give one in the URL/],
    ['WRONGPASS invalid username-password pair or user is disabled.', /Correct the user name/],
    ["NOPERM User app has no permissions to run the 'eval' command", /Let this user run eval/],
    ["ERR The user executing the script can't run this command or subcommand", /Let this user run eval/],
    ["OOM command not allowed when used memory > 'maxmemory'.", /Raise maxmemory/],
    ['ERR Error running script: @user_script:12: -OOM command not allowed', /Raise maxmemory/],
    ['MISCONF Redis is configured to save RDB snapshots', /cannot save its data/],
    ['WRONGTYPE Operation against a key holding the wrong kind of value', /another namespace or keyPrefix/],
    ['MOVED 3999 127.0.0.1:6381', /client for clusters/],
    ["ERR unknown command 'EVAL', with args beginning with:", /Do not disable or rename/],
    ['ERR DB index is out of range', /a database that the server has/],
    ['Connection in subscriber mode, only subscriber commands may be used', /Pass one of its own/],
  ])('that stays until somebody acts is a refusal: %s', (text, remedy) => {
    const cause = new Error(text);

    const error = asEngineError('renew', cause);

    expect(error).toBeInstanceOf(EngineRefusalError);
    expect(error).toMatchObject({ message: expect.stringMatching(remedy), cause });
    expect(String(error)).toContain('"renew"');
  });

  test.each([
    "READONLY You can't write against a read only replica.",
    "READONLY You can't write against a read only replica. script: 5d1f, on @user_script:3.",
  ])('that a standby answers is no refusal, and is tried again: %s', (text) => {
    const cause = new Error(text);

    const error = asEngineError('release', cause);

    expect(error).toBeInstanceOf(EngineStandbyError);
    expect(error).not.toBeInstanceOf(EngineRefusalError);
    expect(error).toMatchObject({ message: expect.stringMatching(/Redis server.*Connect to the primary/), cause });
    expect(asEngineError('release', error)).toBe(error);
  });

  test.each([
    'LOADING Redis is loading the dataset in memory',
    'BUSY Redis is busy running a script.',
    'CLUSTERDOWN The cluster is down',
    'NOREPLICAS Not enough good replicas to write.',
    'MASTERDOWN Link with MASTER is down',
    'connect ECONNREFUSED 127.0.0.1:6379',
    'Command timed out',
  ])('that passes by itself is tried again: %s', (text) => {
    const error = new Error(text);

    expect(asEngineError('renew', error)).toBe(error);
  });
});
