import { existsSync } from 'node:fs';
import { mkdtemp, open, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EngineRefusalError } from '../../../../lib/core/errors.js';
import { Claim, type ClaimListener } from '../../../../lib/electors/local/claim.js';
import type { ElectionPlace } from '../../../../lib/electors/local/election-place.js';

const quiet: ClaimListener = { onLost: () => undefined, onError: () => undefined };

let directory: string;
let place: ElectionPlace;
/** Who holds the lock; Linux, where the tests run, has no such files. */
let holders: number;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'claim-'));
  place = { address: join(directory, 'e.sock'), lockFile: join(directory, 'e.lock'), tokenFile: '' };
  holders = 0;
});

afterEach(() => rm(directory, { recursive: true }));

async function lock(path: string): Promise<FileHandle | undefined> {
  if (holders > 0) return undefined;
  holders++;
  const file = await open(path, 'w');
  const close = file.close.bind(file);
  file.close = () => {
    holders--;
    return close();
  };
  return file;
}

const take = () => Claim.take(place, quiet, lock);

describe('a claim where sockets are files', () => {
  test('is had by one at a time', async () => {
    const first = await take();
    expect(await take()).toBeUndefined();
    await first?.release();

    const second = await take();

    expect(second).toBeDefined();
    await second?.release();
  });

  test('takes the place of a socket that a killed process has left behind', async () => {
    await writeFile(place.address, '');

    const claim = await take();

    expect(claim).toBeDefined();
    await claim?.release();
  });

  test('leaves no socket, and no lock held, when it is released', async () => {
    const claim = await take();
    await claim?.release();

    expect([existsSync(place.address), holders]).toEqual([false, 0]);
  });

  test('is free in the moment in which a follower loses its connection', async () => {
    const claim = await take();
    const socket = connect(place.address);
    await new Promise((resolve) => socket.once('connect', resolve));
    claim?.announce(1n);
    await new Promise((resolve) => socket.once('data', resolve));

    const freeAtEnd = new Promise((resolve) =>
      socket.once('close', () => resolve([existsSync(place.address), holders])),
    );
    await claim?.release();

    expect(await freeAtEnd).toEqual([false, 0]);
  });

  test('frees the lock when it cannot listen', async () => {
    place = { ...place, address: join(directory, 'missing', 'e.sock') };

    await expect(take()).rejects.toThrow();

    expect(holders).toBe(0);
  });

  test('is refused on a system without locks', async () => {
    if (process.platform !== 'linux') return;

    await expect(Claim.take(place, quiet)).rejects.toThrow(EngineRefusalError);
  });
});

describe('a claim', () => {
  beforeEach(() => {
    place = { address: join(directory, 'plain.sock'), tokenFile: '' };
  });

  test('is not had while somebody listens', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(place.address, resolve));

    expect(await Claim.take(place, quiet)).toBeUndefined();

    await new Promise((resolve) => server.close(resolve));
  });

  test('can be released any number of times', async () => {
    const claim = await Claim.take(place, quiet);

    await Promise.all([claim?.release(), claim?.release()]);
    await claim?.release();

    expect(existsSync(place.address)).toBe(false);
  });

  test('tells followers that come later too', async () => {
    const claim = await Claim.take(place, quiet);
    claim?.announce(7n);
    const socket = connect(place.address).setEncoding('utf8');

    expect(await new Promise((resolve) => socket.once('data', resolve))).toBe('7\n');

    await claim?.release();
  });
});
