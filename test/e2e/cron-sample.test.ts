import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSample } from '../fixtures/sample-process.js';
import { isAlive } from '../fixtures/processes.js';

interface Tick {
  readonly second: string;
  readonly pid: number;
  readonly token: bigint;
}

/** Processes that compile what they load, on a machine that has other things to do. */
const LIMIT_MS = 120_000;

const directory = mkdtempSync(join(tmpdir(), 'cron-sample-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function ticksOf(output: string): Tick[] {
  const lines = output.matchAll(/^(\S+) reminders sent by replica (\d+), token (\d+)$/gm);
  return [...lines].map(([, second = '', pid, token = '0']) => ({ second, pid: Number(pid), token: BigInt(token) }));
}

it(
  'sample/04-cron runs each tick on one replica, hands over when the leader is killed, and stops in order',
  async () => {
    // What the elector keeps in temporary files is apart from that of other runs.
    const sample = startSample('04-cron', { TMPDIR: directory });
    const ticks = () => ticksOf(sample.output());
    const pids = () => [...sample.output().matchAll(/^replica (\d+) is up$/gm)].map(([, pid]) => Number(pid));
    await sample.until(() => pids().length === 3 && ticks().length >= 3);

    // Between two ticks: at a tick the next leader may run it once more, as documented.
    const betweenTicks = () => sample.until(() => Date.now() % 1000 > 300 && Date.now() % 1000 < 600);
    const [first] = ticks();
    await betweenTicks();
    process.kill(first?.pid ?? 0, 'SIGKILL');
    const killedAt = ticks().length;
    await sample.until(() => ticks().length >= killedAt + 3 && /^batch \d of 4 archived/m.test(sample.output()));
    const next = ticks().at(-1);
    expect(next?.pid).not.toBe(first?.pid);

    // An orderly hand-over, of the app that runs a batch for several seconds.
    await betweenTicks();
    process.kill(next?.pid ?? 0, 'SIGTERM');
    await sample.until(() => ticks().at(-1)?.pid !== next?.pid && ticks().at(-1)?.pid !== first?.pid);

    expect(sample.send('SIGTERM')).toBe(true);
    expect(await sample.ended).toEqual({ code: 0, signal: null });
    expect(pids().filter(isAlive)).toEqual([]);

    const seconds = ticks().map(({ second }) => second);
    expect(seconds).toEqual([...new Set(seconds)]);
    // Tokens rise with each leader, and each leads once.
    const leaders = ticks().filter((it, i, all) => it.pid !== all[i - 1]?.pid);
    expect(new Set(leaders.map(({ pid }) => pid))).toEqual(new Set(pids()));
    expect(leaders).toHaveLength(3);
    expect(leaders.map(({ token }) => token)).toEqual(
      leaders.map(({ token }) => token).toSorted((a, b) => Number(a - b)),
    );
    expect(sample.output()).not.toMatch(/error|warn/i);
  },
  LIMIT_MS,
);
