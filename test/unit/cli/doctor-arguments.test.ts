import { doctorArguments } from '../../../lib/cli/doctor-arguments.js';
import { run } from '../../../lib/cli/run.js';
import { Secrets } from '../../../lib/cli/secrets.js';

async function output(...argv: string[]) {
  const [printed, errors]: [string[], string[]] = [[], []];
  const code = await run(argv, { print: (it) => printed.push(it), printError: (it) => errors.push(it) });
  return { code, printed: printed.join('\n'), errors: errors.join('\n') };
}

it('takes what an engine needs', () => {
  const given = ['--engine', 'nats', '--url', 'nats://a', '--url', 'nats://b', '--strict', '--timeout-ms', '500'];
  expect(doctorArguments(given)).toEqual({
    engine: 'nats',
    urls: ['nats://a', 'nats://b'],
    namespace: 'doctor',
    session: false,
    kubeconfig: undefined,
    timeoutMs: 500,
    strict: true,
    json: false,
  });
});

it.each([
  [[], '--engine is missing'],
  [['--engine', 'oracle'], '--engine is oracle, expected one of local, redis'],
  [['--engine', 'redis'], '--engine redis needs a --url'],
  [['--engine', 'redis', '--url', 'redis://a', '--url', 'redis://b'], 'takes one --url'],
  [['--engine', 'local', '--url', 'x'], 'takes no --url'],
  [['--engine', 'redis', '--url', 'redis://a', '--session'], '--session is for --engine postgres'],
  [['--engine', 'etcd', '--url', 'http://a', '--kubeconfig', 'x'], '--kubeconfig is for --engine kubernetes'],
  [['--engine', 'local', '--timeout-ms', '0'], '--timeout-ms is 0'],
  [['--engine', 'local', '--timeout-ms', 'soon'], '--timeout-ms is soon'],
  [['--engine', 'local', '--colour'], "Unknown option '--colour'"],
  [['--engine', 'local', 'extra'], 'extra'],
])('refuses %j with code 2, and says how it is used', async (argv, why) => {
  const { code, printed, errors } = await output('doctor', ...argv);
  expect({ code, printed }).toEqual({ code: 2, printed: '' });
  expect(errors).toContain(why);
  expect(errors).toContain('Usage: nestjs-lifecycle doctor');
});

it('refuses a command that it does not have', async () => {
  expect(await output('nurse')).toMatchObject({ code: 2, errors: expect.stringContaining('no command nurse') });
});

it.each([[['--help']], [['help']], [['doctor', '--help']]])('prints its usage for %j', async (argv) => {
  expect(await output(...argv)).toMatchObject({ code: 0, printed: expect.stringContaining('Usage:'), errors: '' });
});

it('prints its usage, and fails, when nothing is asked for', async () => {
  expect(await output()).toMatchObject({ code: 2, printed: expect.stringContaining('Usage:') });
});

it('finds nothing wrong with the host it runs on', async () => {
  const { code, printed } = await output('doctor', '--engine', 'local', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(printed)).toMatchObject({ engine: 'local', ok: true, findings: expect.any(Array) });
});

it('says what is wrong with an option of the elector', async () => {
  const { code, printed } = await output('doctor', '--engine', 'local', '--namespace', 'Not A Name');
  expect(code).toBe(1);
  expect(printed).toMatch(/^✗ .*namespace/);
});

it.each([
  ['redis://user:p%40ss@host', 'NOAUTH p@ss p%40ss', 'NOAUTH *** ***'],
  ['redis://:secret@host', 'with secret', 'with ***'],
  ['postgres://u:a:b@host/db', 'a:b at host', '*** at host'],
  ['redis://host:6379', '6379', '6379'],
  ['redis://user@host', 'user', 'user'],
  ['redis://u:%zz@host', '%zz', '***'],
])('hides the password of %s', (url, text, hidden) => {
  expect(new Secrets([url]).hide(text)).toBe(hidden);
});
