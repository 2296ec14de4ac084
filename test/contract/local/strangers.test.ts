import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { createServer, connect, type Server, type Socket } from 'node:net';
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
let directory: string;
let namespace: string;
let stands: LocalStand[];
let servers: Server[];
let count = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-strangers-'));
  directory = join(folder, 'tokens');
  namespace = `strangers-${process.pid}-${count++}`;
  stands = [];
  servers = [];
});

afterEach(async () => {
  await Promise.all(stands.map((it) => it.end()));
  servers.forEach((it) => it.close());
  await rm(folder, { recursive: true });
});

const address = () =>
  electionPlace({ platform: process.platform, user: currentUser(), namespace, election: 'default', directory }).address;

function stand(options: { directory?: string; identity?: string } = {}): LocalStand {
  const elector = new LocalElector({ namespace, directory: options.directory ?? directory });
  const it = new LocalStand(elector, options.identity);
  stands.push(it);
  return it;
}

/** Somebody else has the address. */
async function stranger(onConnection: (socket: Socket) => void): Promise<() => void> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen({ path: address(), exclusive: true }, resolve));
  return () => {
    server.close();
    sockets.forEach((it) => it.destroy());
  };
}

describe('LocalElector and an address that a stranger holds', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['talks nonsense', (socket) => socket.write('hello\n')],
    ['floods', (socket) => socket.write(Buffer.alloc(50_000_000, 'x'))],
    ['claims a token that is nowhere', (socket) => socket.write('12345\n')],
    ['claims a token that is too long', (socket) => socket.write(`${'9'.repeat(30)}\n`)],
  ])('follows one that %s, says so, and leads when it goes', async (_what, onConnection) => {
    const leave = await stranger(onConnection);
    const it = stand();
    await until(() => it.refusals.length > 0);

    expect(it.refusals[0]).toContain('Whoever holds the address of election "default"');
    expect([it.leads, it.candidate.observed]).toEqual([false, []]);

    leave();
    await until(() => it.leads);
  });

  test('says after a while that the holder says nothing', async () => {
    const leave = await stranger(() => undefined);
    const it = stand();

    await until(() => it.refusals.some((message) => message.includes('says nothing')));

    leave();
    await until(() => it.leads);
  });

  test('does not hurry after one that hangs up at once', async () => {
    let connections = 0;
    const leave = await stranger((socket) => {
      connections++;
      socket.destroy();
    });
    const it = stand();

    await pause(1000);

    // 2, 4, 8, ... milliseconds.
    expect(connections).toBeLessThan(20);
    leave();
    await until(() => it.leads);
  });

  test('gives a new leader of the service a new chance after a stranger', async () => {
    const leave = await stranger((socket) => socket.destroy());
    const one = stand({ identity: 'one' });
    const two = stand({ identity: 'two' });
    await pause(500);
    leave();
    await until(() => one.leads || two.leads);
    const [leader, follower] = one.leads ? [one, two] : [two, one];

    await until(() => follower.candidate.observed.at(-1) === leader.candidate.identity);

    expect(follower.leads).toBe(false);
  });
});

describe('LocalElector and strangers that connect to the leader', () => {
  test('lead, whatever they send, and free their connections', async () => {
    const it = stand();
    await until(() => it.leads);
    const peers = Array.from({ length: 50 }, () => connect(address()));
    let closed = 0;
    peers.forEach((peer) =>
      peer
        .on('error', () => undefined)
        .on('close', () => closed++)
        .write('x'.repeat(100_000)),
    );

    await until(() => closed === peers.length);

    expect(it.leads).toBe(true);
  });

  test('hang up on peers when they end', async () => {
    const it = stand();
    await until(() => it.leads);
    const peers = Array.from({ length: 5 }, () => connect(address()));
    let [greeted, closed] = [0, 0];
    peers.forEach((peer) => peer.once('data', () => greeted++).on('close', () => closed++));
    await until(() => greeted === peers.length);

    await it.end();

    await until(() => closed === peers.length);
  });
});

describe('LocalElector and the folder of its tokens', () => {
  async function tokenFile(): Promise<string> {
    const [name] = (await readdir(directory)).filter((file) => file.endsWith('.token'));
    return join(directory, name ?? '');
  }

  test('keeps nothing but the last token', async () => {
    const it = stand();
    await until(() => it.leads);
    await it.end();

    expect(await readdir(directory)).toHaveLength(1);
    expect(JSON.parse(readFileSync(await tokenFile(), 'utf8'))).toMatchObject({ token: String(it.lastToken) });
  });

  test.each([
    ['deleted', (file: string) => unlink(file)],
    ['emptied', (file: string) => writeFile(file, '')],
    ['overwritten with nonsense', (file: string) => writeFile(file, '{"token":"1e9"}')],
  ])('still gives out a larger token after the file was %s', async (_how, harm) => {
    const first = stand();
    await until(() => first.leads);
    await harm(await tokenFile());
    await first.end();

    const second = stand();
    await until(() => second.leads);

    expect(second.lastToken).toBeGreaterThan(first.lastToken);
  });

  test('goes on from the token in the file when the clock is behind it', async () => {
    const ahead = BigInt(Date.now()) * 1000n + 3_600_000_000n;
    const first = stand();
    await until(() => first.leads);
    await first.end();
    await writeFile(await tokenFile(), JSON.stringify({ token: String(ahead), identity: 'x' }));

    const second = stand();
    await until(() => second.leads);

    expect(second.lastToken).toBe(ahead + 1n);
  });

  test.each<[string, string, () => Promise<unknown>]>([
    ['is a file', 'not a directory', () => writeFile(directory, '')],
    ['is a link', 'is not a directory', () => symlink(tmpdir(), directory)],
    [
      'can be written by others',
      'can be written by other users',
      () => mkdir(directory).then(() => chmod(directory, 0o777)),
    ],
  ])('refuses to lead while it %s, and leads when that is mended', async (_what, message, harm) => {
    await harm();
    const it = stand();
    await until(() => it.refusals.length > 0);

    expect(it.refusals[0]).toContain(message);
    expect(it.leads).toBe(false);

    await rm(directory, { recursive: true });
    await until(() => it.leads);
  });

  test('refuses to lead where it cannot be made', async () => {
    const it = stand({ directory: '/dev/null/tokens' });

    await until(() => it.refusals.length > 0);

    expect(it.refusals[0]).toContain('The fencing token cannot be kept in /dev/null/tokens');
    expect(it.leads).toBe(false);
  });

  test('says so when the leader keeps its token elsewhere', async () => {
    const leader = stand();
    await until(() => leader.leads);
    const follower = stand({ directory: join(folder, 'elsewhere') });

    await until(() => follower.refusals.length > 0);

    expect(follower.refusals[0]).toContain('keeps its fencing token elsewhere');
    expect([leader.leads, follower.leads]).toEqual([true, false]);
  });
});
