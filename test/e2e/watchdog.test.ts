import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { until } from '../fixtures/until.js';

declare const NEST_MAJOR: 11 | 12;

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Longer than the lease of the app: 1500 ms, of which a term may use 950. */
const LONG_MS = 2500;

const running = new Set<ReturnType<typeof spawn>>();
afterEach(() => running.forEach((it) => it.kill('SIGKILL')));

function run(options: { watchdog?: boolean; lease?: boolean }, ...flags: string[]) {
  const child = spawn(
    process.execPath,
    [
      ...flags,
      '--import',
      path('../fixtures/typescript.mjs'),
      path('../fixtures/watchdog-app.ts'),
      JSON.stringify(options),
    ],
    { env: { ...process.env, NEST_MAJOR: String(NEST_MAJOR) }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  running.add(child);
  const lines: string[] = [];
  let complaints = '';
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  child.stderr.on('data', (chunk) => (complaints += String(chunk)));
  const ended = once(child, 'close').then((outcome: unknown[]) => {
    running.delete(child);
    return outcome;
  });
  return {
    child,
    lines,
    ended,
    complaints: () => complaints,
    told: (line: string, times = 1) => until(() => lines.filter((it) => it === line).length >= times),
    say: (line: string) => child.stdin.write(`${line}\n`),
  };
}

describe('the watchdog', () => {
  test('kills a process that is blocked past the deadline of its term, and says why', async () => {
    const app = run({ watchdog: true });
    await app.told('leads');

    app.say(`block ${10 * LONG_MS}`);

    expect(await app.ended).toEqual([null, 'SIGKILL']);
    expect(app.lines).not.toContain('goes on');
    expect(app.complaints()).toContain('The watchdog kills the process');
  });

  test('lets live a process that is blocked for less', async () => {
    const app = run({ watchdog: true });
    await app.told('leads');
    for (let count = 1; count <= 5; count++) {
      app.say('block 500');
      await app.told('goes on', count);
    }

    app.say('close');

    expect(await app.ended).toEqual([0, null]);
    expect(app.lines.filter((it) => it === 'lost')).toHaveLength(1);
  });

  test('lets live a process that renews its lease, and leaves nothing that keeps it alive', async () => {
    const app = run({ watchdog: true });
    await app.told('leads');
    await pause(LONG_MS);

    app.say('close');

    expect(await app.ended).toEqual([0, null]);
    expect(app.lines.toSorted()).toEqual(['a thread begins', 'closed', 'leads', 'lost']);
  });

  test('lets live a process that was stopped past its deadline, which loses its term and leads again', async () => {
    const app = run({ watchdog: true });
    for (let count = 1; count <= 3; count++) {
      await app.told('leads', count);
      app.child.kill('SIGSTOP');
      await pause(LONG_MS);
      app.child.kill('SIGCONT');
      await app.told('lost', count);
    }

    app.say('close');

    expect(await app.ended).toEqual([0, null]);
  });

  test('lets live a process that is blocked while it does not lead', async () => {
    const app = run({ watchdog: true });
    await app.told('leads');
    app.say('step-down');
    await app.told('lost');
    app.say(`block ${LONG_MS}`);
    await app.told('goes on');

    app.say('close');
    expect(await app.ended).toEqual([0, null]);
  });

  test('does nothing while a debugger could be attached', async () => {
    const app = run({ watchdog: true }, '--inspect=127.0.0.1:0');
    await app.told('leads');

    app.say(`block ${LONG_MS}`);
    await app.told('goes on');

    app.say('close');
    expect(await app.ended).toEqual([0, null]);
  });

  test.each([
    ['is off by default', {}],
    ['is off', { watchdog: false }],
    ['has no lease to watch', { watchdog: true, lease: false }],
  ])('starts nothing when it %s', async (_when, options) => {
    const app = run(options);
    await app.told('leads');

    app.say(`block ${LONG_MS}`);
    await app.told('goes on');

    app.say('close');
    expect(await app.ended).toEqual([0, null]);
    expect(app.lines).not.toContain('a thread begins');
  });
});
