import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { until } from '../fixtures/until.js';

declare const NEST_MAJOR: 11 | 12;

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

let folder: string;
let running: Set<ReturnType<typeof spawn>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'failover-sample-'));
  running = new Set();
});

afterEach(async () => {
  running.forEach((it) => it.kill('SIGKILL'));
  await rm(folder, { recursive: true });
});

/** The demo, from its sources; what it leaves in temporary files is in `folder`. */
function demo(...args: string[]) {
  const child = spawn(
    process.execPath,
    ['--import', path('../fixtures/typescript.mjs'), path('../../sample/02-failover/src/main.ts'), ...args],
    { env: { ...process.env, NEST_MAJOR: String(NEST_MAJOR), TMPDIR: folder }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  running.add(child);
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const ended = once(child, 'close').then(([code]: unknown[]) => {
    running.delete(child);
    return code;
  });
  return { child, ended, output: () => output };
}

function expectNothingLeft(output: string, demoPid: number | undefined): void {
  const pids = [...output.matchAll(/^ {2}replica-\d {2}(\d+) /gm)].map((match) => Number(match[1]));
  expect(pids.length).toBeGreaterThanOrEqual(3);
  expect(pids.filter(isAlive)).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
  if (existsSync('/proc/net/unix')) {
    expect(readFileSync('/proc/net/unix', 'utf8')).not.toContain(`failover-demo-${demoPid}/`);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('sample/02-failover', () => {
  test('shows that another replica takes over, whatever happens to the leader, and leaves nothing behind', async () => {
    const { child, ended, output } = demo(
      '--script',
      'wait,kill,wait,restart,wait,stop,wait,restart,wait,pause,pause,wait,quit',
    );

    expect(await ended).toBe(0);

    const takeovers = [...output().matchAll(/^(replica-\d) leads and works, token (\d+)(.*)$/gm)];
    expect(takeovers.map(([, , , how]) => how?.replace(/[\d.]+ ms/, 'x ms'))).toEqual([
      '',
      ': x ms after SIGKILL',
      ': x ms after SIGTERM',
    ]);
    const tokens = takeovers.map(([, , token = '0']) => BigInt(token));
    expect(tokens).toEqual(tokens.toSorted((a, b) => Number(a - b)));
    expect(output()).toContain('SIGCONT to replica-');
    expectNothingLeft(output(), child.pid);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('ends cleanly on %s while the leader is paused', async (signal) => {
    const { child, ended, output } = demo('--script', 'wait,pause,restart,wait,wait');
    await until(() => output().includes('leader (paused)'));

    child.kill(signal);

    expect(await ended).toBe(0);
    expectNothingLeft(output(), child.pid);
  });

  test('ends its replicas when it is killed', async () => {
    const { child, output } = demo();
    await until(() => output().includes('leads and works'));
    const pids = [...output().matchAll(/^ {2}replica-\d {2}(\d+) /gm)].map((match) => Number(match[1]));

    child.kill('SIGKILL');

    await until(() => !pids.some(isAlive));
  });

  test.each([
    [['--engine', 'etcd'], '--engine is one of local, redis, postgres'],
    [['--script', 'wait,explode'], 'not "explode"'],
  ])('says how it is used when it is given %j', async (args, message) => {
    const { ended, output } = demo(...args);

    expect(await ended).not.toBe(0);
    expect(output()).toContain(message);
  });
});
