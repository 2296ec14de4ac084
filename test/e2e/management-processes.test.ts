import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ask } from '../fixtures/management.js';
import { until } from '../fixtures/until.js';

declare const NEST_MAJOR: 11 | 12;

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const running = new Set<ReturnType<typeof spawn>>();
afterEach(() => running.forEach((it) => it.kill('SIGKILL')));

function run(scenario: string) {
  const child = spawn(
    process.execPath,
    ['--import', path('../fixtures/typescript.mjs'), path('./management-app.ts'), scenario],
    { env: { ...process.env, NEST_MAJOR: String(NEST_MAJOR) }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  running.add(child);
  let [output, complaints] = ['', ''];
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (complaints += String(chunk)));
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => {
    running.delete(child);
    return { code, signal, lines: output.split('\n').filter((it) => it !== '' && !it.startsWith('port')), complaints };
  });
  const port = async () => {
    await until(() => /port \d+/.test(output));
    return Number(/port (\d+)/.exec(output)?.[1]);
  };
  return { child, ended, port };
}

it('a worker with a poller answers, and stops on SIGTERM', async () => {
  const { child, ended, port } = run('polls');
  const at = await port();
  expect((await ask(at, '/health/ready')).status).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: null, signal: 'SIGTERM', lines: ['stopped'], complaints: '' });
});

it.each(['completes', 'has a client that says nothing'])(
  'the port keeps no worker alive whose work is done: one that %s',
  async (scenario) => {
    const { ended } = run(scenario);
    expect(await ended).toMatchObject({ code: 0, lines: ['done'], complaints: '' });
  },
);

it('a worker that closes by itself ends', async () => {
  const { ended } = run('closes');
  expect(await ended).toMatchObject({ code: 0, lines: ['done', 'stopped', 'closed'] });
});

it('a worker whose boot fails in another module ends with that error', async () => {
  const { ended } = run('another module fails');
  expect(await ended).toMatchObject({ code: 1, lines: [], complaints: expect.stringContaining('no database') });
});
