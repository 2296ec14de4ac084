import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RedisElector } from 'nestjs-lifecycle/electors/redis';
import { Redis } from 'ioredis';
import { ContractCandidate } from '../../../lib/testing/contract/contract-candidate.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { RedisServer } from '../../fixtures/engines/redis-server.js';
import { until } from '../../fixtures/until.js';
import { CLIENT_KINDS } from './client-kinds.js';
import { TIMING } from './timing.js';

const HOOKS = fileURLToPath(new URL('../../fixtures/typescript.mjs', import.meta.url));
const ELECTOR = new URL('../../../lib/electors/redis/index.ts', import.meta.url).href;

describeEngine('Connections of a RedisElector', ['redis-server'], () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterAll(() => server.stop());

  const clients = async () => {
    const list = String(await server.command('client', 'list'));
    // Without the one that asks.
    return list.trim().split('\n').length - 1;
  };

  test.each(CLIENT_KINDS)('that it made are closed with it, those of $name are not', async ({ name, offer }) => {
    const { options, close } = offer(server.port);
    const given = name === 'a URL' ? 0 : 1;
    await until(async () => (await clients()) === given);
    const elector = new RedisElector({ namespace: 'orders', timing: TIMING, ...options });
    const control = new AbortController();
    const candidate = new ContractCandidate('a', () => undefined);
    const campaign = elector.campaign('default', candidate, control.signal);
    await until(() => candidate.leads);
    await until(async () => (await clients()) === 2);
    control.abort();
    await campaign;

    await elector.close();

    await until(async () => (await clients()) === given);
    close();
    await until(async () => (await clients()) === 0);
  });

  test('that were given for subscriptions are left open', async () => {
    const [client, subscriber] = [new Redis(server.url), new Redis(server.url)];
    const elector = new RedisElector({ namespace: 'mails', timing: TIMING, client, subscriber });
    const control = new AbortController();
    const candidate = new ContractCandidate('a', () => undefined);
    const campaign = elector.campaign('default', candidate, control.signal);
    await until(() => candidate.leads);
    await until(async () => ((await server.command('pubsub', 'channels')) as string[]).length === 1);
    control.abort();
    await campaign;
    await elector.close();

    expect([client.status, subscriber.status]).toEqual(['ready', 'ready']);
    await until(async () => ((await server.command('pubsub', 'channels')) as string[]).length === 0);
    client.disconnect();
    subscriber.disconnect();
  });

  describe('let the process end by itself', () => {
    /** Leads, ends, closes; then nothing is left to do. */
    const script = (url: string) => `
      const { RedisElector } = await import(${JSON.stringify(ELECTOR)});
      const elector = new RedisElector({ namespace: 'child', emptyStoreWaitMs: 0, url: ${JSON.stringify(url)} });
      const control = new AbortController();
      await elector.campaign('default', {
        identity: 'child',
        onElected: async () => void setTimeout(() => control.abort(), 100),
        onLeaderObserved() {},
        onReport({ kind }) { if (kind === 'error') setTimeout(() => control.abort(), 100); },
      }, control.signal);
      await elector.close();
      console.log('closed');
    `;

    const run = async (url: string) => {
      const args = ['--import', HOOKS, '--input-type=module', '-e', script(url)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      child.stdout.on('data', (chunk) => (output += String(chunk)));
      const [code] = (await once(child, 'exit')) as [number | null];
      return { code, output: output.trim() };
    };

    test('when it is closed', async () => {
      expect(await run(server.url)).toEqual({ code: 0, output: 'closed' });
    });

    test('when it is closed and its server was never there', async () => {
      expect(await run('redis://127.0.0.1:1')).toEqual({ code: 0, output: 'closed' });
    });
  });
});
