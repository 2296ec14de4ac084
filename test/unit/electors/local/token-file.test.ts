import { mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EngineRefusalError } from '../../../../lib/core/errors.js';
import { ManualClock } from 'nestjs-lifecycle/testing';
import { TokenFile } from '../../../../lib/electors/local/token-file.js';

let folder: string;
let path: string;
let clock: ManualClock;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'token-file-'));
  path = join(folder, 'orders', 'e.token');
  clock = new ManualClock();
  await clock.advance(1_000_000);
});

afterEach(() => rm(folder, { recursive: true }));

const file = () => new TokenFile(path, clock);
const quiet = () => undefined;
const now = () => BigInt(Math.round(clock.wallNow() * 1000));

describe('the token file of an election', () => {
  test('gives out the time in microseconds when there is nothing to go on from', async () => {
    expect(await file().next({ identity: 'a' }, quiet)).toBe(now());
  });

  test('counts on from the last token when the clock stands still', async () => {
    const first = await file().next({ identity: 'a' }, quiet);

    expect(await file().next({ identity: 'b' }, quiet)).toBe(first + 1n);
  });

  test('says whose the token is', async () => {
    const token = await file().next({ identity: 'a', address: 'http://a' }, quiet);

    expect(await file().read()).toEqual({ token, identity: 'a', address: 'http://a' });
  });

  test('is read as nothing when it is not there', async () => {
    expect(await file().read()).toBeUndefined();
  });

  test('is the same after a rehearsal, which leaves nothing else behind', async () => {
    const token = await file().next({ identity: 'a' }, quiet);

    await Promise.all([file().rehearse(), file().rehearse()]);

    expect(await file().read()).toEqual({ token, identity: 'a' });
    expect(await readdir(join(folder, 'orders'))).toEqual(['e.token']);
  });

  test('is rehearsed without a word where it cannot be kept', async () => {
    await writeFile(join(folder, 'orders'), 'no folder');

    await expect(file().rehearse()).resolves.toBeUndefined();
  });

  test('remembers the largest token that it has read, whatever happens to the file and the clock', async () => {
    const mine = file();
    await file().next({ identity: 'a' }, quiet);
    const last = await file().next({ identity: 'b' }, quiet);
    await mine.read();
    await rm(path);

    expect(await mine.next({ identity: 'c' }, quiet)).toBe(last + 1n);
  });

  test.each([
    '',
    '{',
    'null',
    '[]',
    '{"token":5,"identity":"a"}',
    '{"token":"-5","identity":"a"}',
    '{"token":"5"}',
    `{"token":"${2n ** 63n}","identity":"a"}`,
  ])('that says %j is reported, and written anew by the clock', async (text) => {
    await file().next({ identity: 'a' }, quiet);
    await writeFile(path, text);
    const errors: unknown[] = [];

    const token = await file().next({ identity: 'b' }, (error) => errors.push(error));

    expect(token).toBe(now());
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining(path) })]);
    expect(await file().read()).toEqual({ token, identity: 'b' });
  });

  test('is for this user alone, with nothing beside it', async () => {
    await file().next({ identity: 'a' }, quiet);

    expect(await readdir(join(folder, 'orders'))).toEqual(['e.token']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'orders'))).mode & 0o777).toBe(0o700);
  });

  test('replaces a draft that a killed process has left behind', async () => {
    await file().next({ identity: 'a' }, quiet);
    await writeFile(`${path}.new`, 'x'.repeat(10_000));

    const token = await file().next({ identity: 'b' }, quiet);

    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ token: String(token), identity: 'b' });
  });

  test('is refused, with what to do, where it cannot be kept', async () => {
    await writeFile(join(folder, 'orders'), '');

    const error = await file()
      .next({ identity: 'a' }, quiet)
      .catch((it: unknown) => it);

    expect(error).toBeInstanceOf(EngineRefusalError);
    expect((error as Error).message).toContain('give LocalElector another "directory"');
  });

  test('looks new after it was touched', async () => {
    await file().next({ identity: 'a' }, quiet);
    await utimes(path, 0, 0);

    await file().touch();

    expect((await stat(path)).mtimeMs).toBeGreaterThan(0);
  });

  test('that is gone can be touched', async () => {
    await expect(file().touch()).resolves.toBeUndefined();
  });
});
