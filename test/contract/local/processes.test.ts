import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../fixtures/until.js';
import { Replicas, type ReplicaEvent } from './replicas.js';

/** Long enough for a hand-over, if one were to happen. */
const LONG_MS = 3000;

let replicas: Replicas;

beforeEach(() => {
  replicas = new Replicas();
});

afterEach(() => replicas.close());

const tokens = () => replicas.terms.map((it) => BigInt(it.token ?? 0));
const rise = (all: bigint[]) => all.slice(1).every((token, index) => token > (all[index] ?? 0n));

/** A process that stands by, and knows who leads. */
async function standby(): Promise<number> {
  const { pid } = replicas.run();
  await until(() => replicas.events.some((it) => it.pid === pid && it.leader !== undefined));
  return pid as number;
}

describe('LocalElector among processes', () => {
  test('passes the lead on when the leader is killed', async () => {
    replicas.run();
    const first = await replicas.term(1);
    await standby();

    await replicas.kill(first.pid);
    const second = await replicas.term(2);

    expect(second.pid).not.toBe(first.pid);
    expect(rise(tokens())).toBe(true);
  });

  test('passes the lead on when the work of a leader that is told to end has settled', async () => {
    replicas.run();
    const first = await replicas.term(1);
    await standby();

    await replicas.kill(first.pid, 'SIGTERM');
    const second = await replicas.term(2);

    const settled = replicas.events.find((it) => it.kind === 'settled' && it.pid === first.pid);
    expect(second.atMs).toBeGreaterThan(settled?.atMs ?? Number.POSITIVE_INFINITY);
  });

  test('leaves a stopped leader the lead, until it is killed', async () => {
    replicas.run();
    const first = await replicas.term(1);
    await standby();
    await replicas.kill(first.pid, 'SIGSTOP');

    await pause(LONG_MS);
    expect(replicas.terms).toHaveLength(1);

    await replicas.kill(first.pid);
    const second = await replicas.term(2);
    expect(second.pid).not.toBe(first.pid);
  });

  test('has a stopped leader lead on when it is continued', async () => {
    replicas.run();
    const first = await replicas.term(1);
    await standby();
    await replicas.kill(first.pid, 'SIGSTOP');
    await pause(500);
    await replicas.kill(first.pid, 'SIGCONT');

    await pause(LONG_MS);

    expect(replicas.terms).toEqual([first]);
  });

  test('elects one of the workers of a cluster, and another one when that one dies', async () => {
    replicas.run({ workers: 3 });
    const first = await replicas.term(1);
    await until(() => new Set(knowing(first)).size === 3);

    await replicas.kill(first.pid);
    const second = await replicas.term(2);

    await until(() => knowing(second).length >= 2);
    expect(replicas.terms).toHaveLength(2);
    expect(second.pid).not.toBe(first.pid);
  });

  test('lets each of a hundred candidates lead at a time, without a gap or an error', async () => {
    for (let index = 0; index < 4; index++) replicas.run({ candidates: 25 });
    const first = await replicas.term(1);
    await until(
      () => new Set(replicas.events.filter((it) => it.leader === first.identity).map((it) => it.identity)).size === 100,
    );

    const pids = [...new Set(replicas.events.map((it) => it.pid))];
    let leader = first;
    for (const turn of pids.keys()) {
      await replicas.kill(leader.pid);
      const died = leader.pid;
      if (turn === pids.length - 1) break;
      leader = await until(() => replicas.leader?.pid !== died).then(() => replicas.leader as ReplicaEvent);
    }

    expect(rise(tokens())).toBe(true);
    expect(replicas.terms).toHaveLength(4);
    expect(replicas.events.filter((it) => it.message !== undefined)).toEqual([]);
  });

  test('keeps no process alive: one with nothing else to do ends', async () => {
    const child = replicas.run({ idle: true });
    const ended = once(child, 'exit');
    await replicas.term(1);
    child.stdin?.write('end\n');

    expect(await ended).toEqual([0, null]);
  });

  test('ends with the campaigns, in every state', async () => {
    const children = [replicas.run(), replicas.run(), replicas.run()];
    await until(() => new Set(replicas.events.map((it) => it.pid)).size === 3);
    const ended = Promise.all(children.map((it) => once(it, 'exit')));

    children.forEach((it) => it.kill('SIGTERM'));

    expect(await ended).toEqual([
      [0, null],
      [0, null],
      [0, null],
    ]);
    expect(replicas.events.filter((it) => it.kind === 'over')).toHaveLength(3);
  });
});

/** Processes that know of this leader. */
function knowing(leader: ReplicaEvent): number[] {
  return replicas.events.filter((it) => it.leader === leader.identity).map((it) => it.pid);
}
