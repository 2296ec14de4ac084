import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../fixtures/engines/free-port.js';
import { ask } from '../fixtures/management.js';
import { startSample } from '../fixtures/sample-process.js';

const README = readFileSync(fileURLToPath(new URL('../../sample/05-observability/README.md', import.meta.url)), 'utf8');
/** Processes that compile what they load, on a machine that has other things to do. */
const LIMIT_MS = 120_000;

const directory = mkdtempSync(join(tmpdir(), 'observability-sample-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function startReplica() {
  const port = await freePort();
  const sample = startSample('05-observability', { TMPDIR: directory, PORT: String(port) });
  const statusOf = (path: string) =>
    ask(port, path).then(
      ({ status }) => status,
      () => 0,
    );
  return { ...sample, port, statusOf, get: async (path: string) => (await ask(port, path)).text };
}

it(
  'sample/05-observability shows on its port how it is, who leads, and a hand-over',
  async () => {
    const first = await startReplica();
    await first.until(async () => (await first.statusOf('/health/ready')) === 200);
    const leads = /^nestjs_lifecycle_\w*leader\w*\{[^}]*election="default"[^}]*\} 1$/m;
    await first.until(async () => leads.test(await first.get('/metrics')));
    const documented = [...README.matchAll(/curl http:\/\/localhost:9090(\/\S*)/g)].map(([, path = '']) => path);
    expect(documented.length).toBeGreaterThan(4);
    for (const path of [...documented, '/health/startup', '/lifecycle']) expect(await first.statusOf(path)).toBe(200);
    expect(JSON.parse(await first.get('/health'))).toMatchObject({
      details: { 'component:OrderPoller': { status: 'up' }, 'leadership:default': { role: 'leader' } },
    });
    expect(JSON.stringify(JSON.parse(await first.get('/lifecycle/status')))).toContain('PriceImport');

    const second = await startReplica();
    await second.until(async () => (await second.statusOf('/health/ready')) === 200);
    expect(await second.get('/metrics')).not.toMatch(leads);
    expect(JSON.parse(await second.get('/health'))).toMatchObject({
      details: { 'component:PriceImport': { state: 'standby' }, 'leadership:default': { role: 'standby' } },
    });

    // It fails every ten seconds; why is for the log.
    await first.until(async () => (await first.get('/health')).includes('failed, to be started again'));
    for (const path of ['/health', '/health/ready', '/metrics']) expect(await first.get(path)).not.toContain('secret');
    expect(first.output()).toContain('https://user:secret@prices.example');

    expect(first.send('SIGTERM')).toBe(true);
    expect(await first.ended).toEqual({ code: null, signal: 'SIGTERM' });
    await second.until(async () => leads.test(await second.get('/metrics')));

    expect(second.send('SIGTERM')).toBe(true);
    expect(await second.ended).toEqual({ code: null, signal: 'SIGTERM' });
  },
  LIMIT_MS,
);
