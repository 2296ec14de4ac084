import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from '../fixtures/until.js';

declare const NEST_MAJOR: 11 | 12;

interface Line {
  readonly what: 'booted' | 'acquired' | 'lost' | 'ran' | 'beat';
  readonly at: number;
  readonly job?: string;
  readonly second?: number;
  readonly skipped?: readonly number[];
}

const LIMIT_MS = 60_000;
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A process of `schedule-app.ts`. */
class Replica {
  readonly lines: Line[] = [];
  killedAt = Number.POSITIVE_INFINITY;
  complaints = '';
  readonly ended: Promise<unknown[]>;
  readonly #child;

  constructor(place: object) {
    this.#child = spawn(
      process.execPath,
      ['--import', path('../fixtures/typescript.mjs'), path('./schedule-app.ts'), JSON.stringify(place)],
      { env: { ...process.env, NEST_MAJOR: String(NEST_MAJOR) }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.lines.push(JSON.parse(line) as Line));
    this.#child.stderr.on('data', (chunk) => (this.complaints += String(chunk)));
    this.ended = once(this.#child, 'close');
  }

  async end(signal: NodeJS.Signals): Promise<unknown[]> {
    this.killedAt = Date.now();
    this.#child.kill(signal);
    return this.ended;
  }

  get leads(): boolean {
    return this.lines.findLast((it) => it.what === 'acquired' || it.what === 'lost')?.what === 'acquired';
  }

  /** Ticks left out, by job. */
  get skipped(): readonly number[] {
    return this.lines.findLast((it) => it.what === 'beat')?.skipped ?? [];
  }

  runsOf(job: string, second: number): number {
    return this.lines.filter((it) => it.what === 'ran' && it.job === job && it.second === second).length;
  }

  hasSeen(second: number): boolean {
    return this.lines.some((it) => it.what === 'beat' && it.second === second);
  }

  /** Whether it led from the tick of a second until all that the tick brings had happened. */
  ledThrough(second: number): boolean {
    const seenAt = this.lines.find((it) => it.what === 'beat' && it.second === second)?.at;
    const acquiredAt = this.lines.find((it) => it.what === 'acquired')?.at;
    const lostAt = Math.min(this.lines.find((it) => it.what === 'lost')?.at ?? Infinity, this.killedAt);
    return seenAt !== undefined && acquiredAt !== undefined && acquiredAt < second * 1000 && seenAt < lostAt;
  }
}

describe('a cron job in three processes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'schedule-'));
  const place = { namespace: `schedule-${randomBytes(4).toString('hex')}`, directory };
  const replicas: Replica[] = [];

  afterAll(async () => {
    await Promise.all(replicas.map((it) => it.end('SIGKILL')));
    rmSync(directory, { recursive: true, force: true });
  });

  /** The one that leads, once it has ticked twice. */
  async function leaderThatTicks(alive: readonly Replica[]): Promise<Replica> {
    let leader: Replica | undefined;
    await until(() => {
      leader = alive.find((it) => it.leads);
      return leader !== undefined && leader.lines.filter((it) => it.what === 'ran' && it.job === 'over').length >= 2;
    }, LIMIT_MS);
    return leader as Replica;
  }

  /** A moment between two ticks, when all have had the one before. */
  async function betweenTicks(alive: readonly Replica[]): Promise<void> {
    await until(() => {
      const now = Date.now();
      const second = Math.floor(now / 1000);
      return now % 1000 < 700 && alive.every((it) => it.hasSeen(second));
    }, LIMIT_MS);
  }

  it('runs each tick in exactly one of them, over hand-over and crash', async () => {
    for (let i = 0; i < 3; i++) replicas.push(new Replica(place));
    await until(() => replicas.every((it) => it.lines.some(({ what }) => what === 'booted')), LIMIT_MS);

    const first = await leaderThatTicks(replicas);
    const two = replicas.filter((it) => it !== first);
    // Those that follow count each tick of both jobs that they leave out, from when they are up.
    await until(() => two.every(({ skipped }) => skipped.length === 2 && Math.min(...skipped) >= 2), LIMIT_MS);
    await betweenTicks(replicas);
    expect(await first.end('SIGTERM')).toEqual([null, 'SIGTERM']);

    const second = await leaderThatTicks(two);
    await betweenTicks(two);
    await second.end('SIGKILL');

    const last = two.filter((it) => it !== second);
    const third = await leaderThatTicks(last);
    await betweenTicks(last);
    expect(await third.end('SIGTERM')).toEqual([null, 'SIGTERM']);

    for (const job of ['over', 'under']) checkTicks(job);
    expect(replicas.map((it) => it.complaints)).toEqual(['', '', '']);
  });

  function checkTicks(job: string): void {
    const seconds = [...new Set(replicas.flatMap((it) => it.lines.flatMap((line) => line.second ?? [])))].toSorted(
      (a, b) => a - b,
    );
    const runs = seconds.map((second) => replicas.map((it) => it.runsOf(job, second)));
    const led = seconds.map((second) => replicas.some((it) => it.ledThrough(second)));
    const total = (row: readonly number[]) => row.reduce((sum, it) => sum + it, 0);
    expect(runs.filter((row) => total(row) > 1)).toEqual([]);
    expect(runs.filter((row, i) => led[i] === true && total(row) !== 1)).toEqual([]);
    // The proof that the checks above have seen something: every replica has led and ticked.
    expect(replicas.map((_, i) => runs.filter((row) => row[i] === 1).length >= 2)).toEqual([true, true, true]);
  }
});
