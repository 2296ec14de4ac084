import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { LocalElector } from 'nestjs-lifecycle/electors/local';
import { currentUser } from '../../../lib/electors/local/current-user.js';
import { electionPlace } from '../../../lib/electors/local/election-place.js';
import { until } from '../../fixtures/until.js';
import { LocalStand } from './local-stand.js';

let folder: string;
let namespace: string;
let count = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-abort-'));
  namespace = `abort-${process.pid}-${count++}`;
});

afterEach(() => rm(folder, { recursive: true }));

const stand = (directory = join(folder, 'tokens')) => new LocalStand(new LocalElector({ namespace, directory }));

/** What this process has open, and all sockets of the election on this host: both are only to be had on Linux. */
const onLinux = existsSync('/proc/net/unix') ? test : test.skip;
const openSockets = () => readFileSync('/proc/net/unix', 'utf8').split(namespace).length - 1;
const openFiles = () => readdirSync('/proc/self/fd').length;

async function expectNothingLeft(filesBefore: number): Promise<void> {
  await until(() => openSockets() === 0 && openFiles() <= filesBefore);
}

describe('LocalElector leaves nothing open when it is told to end', () => {
  onLinux('at any moment of its way to the lead', async () => {
    const before = openFiles();
    for (let ms = 0; ms < 15; ms += 0.5) {
      const it = stand();
      await pause(ms);
      await it.end();
    }

    await expectNothingLeft(before);
  });

  onLinux('while it follows, and while it tries', async () => {
    const before = openFiles();
    const leader = stand();
    await until(() => leader.leads);
    for (let ms = 0; ms < 10; ms += 0.5) {
      const it = stand();
      await pause(ms);
      await it.end();
      expect(it.candidate.terms).toEqual([]);
    }
    await leader.end();

    await expectNothingLeft(before);
  });

  onLinux('while it must not lead', async () => {
    await writeFile(join(folder, 'tokens'), '');
    const before = openFiles();
    const it = stand();
    await until(() => it.refusals.length > 0);

    await it.end();

    await expectNothingLeft(before);
  });

  onLinux('while nobody answers at the address', async () => {
    const before = openFiles();
    const scope = {
      platform: process.platform,
      user: currentUser(),
      namespace,
      election: 'default',
      directory: folder,
    };
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(electionPlace(scope).address, resolve));
    for (let ms = 0; ms < 100; ms += 10) {
      const it = stand();
      await pause(ms);
      await it.end();
    }
    server.close();

    await expectNothingLeft(before);
  });
});

test('LocalElector that is told to end with its work under way releases when that has settled', async () => {
  const leader = stand();
  await until(() => leader.leads);
  leader.candidate.settling = pause(300);
  const over = leader.end();
  const rival = stand();
  await pause(150);
  expect(rival.candidate.terms).toEqual([]);

  await over;
  await until(() => rival.leads);

  await rival.end();
});
