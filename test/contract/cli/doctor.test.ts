import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { run } from '../../../lib/cli/run.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { freePort } from '../../fixtures/engines/free-port.js';
import { NatsServer } from '../../fixtures/engines/nats-server.js';
import { PgBouncerServer } from '../../fixtures/engines/pgbouncer-server.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { RedisServer } from '../../fixtures/engines/redis-server.js';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

async function doctor(...argv: string[]) {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const code = await run(['doctor', ...argv], { print, printError: print });
  return { code, text: printed.join('\n') };
}

describeEngine('The doctor of Redis', ['redis-server'], () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());

  const url = (password = '') => `redis://${password}127.0.0.1:${server.port}`;

  it('finds nothing wrong with a server that keeps its keys, and leaves none of its own', async () => {
    const { code, text } = await doctor('--engine', 'redis', '--url', url());
    expect(text).toMatch(/^✓ Redis \S+ answers\./);
    expect(code).toBe(0);
    expect(await server.command('DBSIZE')).toBe(0);
  });

  it('warns of one that evicts keys, and fails when it is strict', async () => {
    // Without a limit nothing is ever evicted.
    await server.command('CONFIG', 'SET', 'maxmemory', '100mb');
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const lax = await doctor('--engine', 'redis', '--url', url());
    const strict = await doctor('--engine', 'redis', '--url', url(), '--strict', '--json');
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    expect(lax).toEqual({ code: 0, text: expect.stringMatching(/^! .*allkeys-lru[^]*noeviction/m) });
    expect(strict.code).toBe(1);
    expect(JSON.parse(strict.text)).toMatchObject({ ok: false });
  });

  it('does not print a password that is wrong', async () => {
    const { code, text } = await doctor('--engine', 'redis', '--url', url('app:s%40cret@'));
    expect(code).toBe(1);
    expect(text).toMatch(/^✗ /);
    expect(text).not.toMatch(/s@cret|s%40cret/);
  });

  it('runs as a program, ends by itself, and says by its exit code that nobody answers', async () => {
    const args = ['--import', file('../../fixtures/typescript.mjs'), file('../../../lib/cli/main.ts'), 'doctor'];
    const ask = (port: number) =>
      promisify(execFile)(process.execPath, [...args, '--engine', 'redis', '--url', `redis://127.0.0.1:${port}`], {
        timeout: 60_000,
      });
    expect((await ask(server.port)).stdout).toContain('answers');
    await expect(ask(await freePort())).rejects.toMatchObject({ code: 1, stdout: expect.stringMatching(/^✗ /) });
  });
});

describeEngine('The doctor of PostgreSQL', ['postgres', 'pgbouncer'], () => {
  let server: PostgresServer;
  let pgBouncer: PgBouncerServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
    pgBouncer = await PgBouncerServer.start({ target: server, poolMode: 'transaction' });
  });
  afterAll(async () => {
    await pgBouncer.stop();
    await server.stop();
  });

  it('says that there is no table yet, and creates none', async () => {
    const { code, text } = await doctor('--engine', 'postgres', '--url', server.url);
    expect(text).toMatch(/^✓ PostgreSQL 1\d.* answers/);
    expect(text).toContain('There is no table');
    expect(code).toBe(0);
    const tables = await server.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'");
    expect(tables).toEqual([]);
  });

  it('finds a pooler between sessions and the server', async () => {
    const url = server.urlOf({ port: pgBouncer.port });
    const { code, text } = await doctor('--engine', 'postgres', '--session', '--url', url);
    expect(text).toMatch(/^✗ .*pooler/m);
    expect(code).toBe(1);
  });
});

describeEngine('The doctor of NATS', ['nats-server'], () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await NatsServer.start();
  });
  afterAll(() => server.stop());

  it('says that a bucket of one replica is not kept elsewhere, and creates no bucket', async () => {
    const { code, text } = await doctor('--engine', 'nats', '--url', server.url);
    expect(text).toMatch(/^✓ nats-server \S+ answers\./);
    expect(code).toBe(0);
    expect(await server.ask('STREAM.NAMES')).toMatchObject({ total: 0 });
  });
});

describe('The doctor of Kubernetes', () => {
  it('says that nobody answers, within its time', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, text } = await doctor('--engine', 'kubernetes', '--url', url, '--timeout-ms', '20000');
    expect(code).toBe(1);
    expect(text).toMatch(/^✗ /m);
  });
});
