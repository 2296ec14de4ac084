import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeEngine } from '../fixtures/engines/engine-binaries.js';
import { RedisServer } from '../fixtures/engines/redis-server.js';
import { until } from '../fixtures/until.js';
import { page } from './pages.js';
import { Service } from './service.js';
import { snippetsOf } from './snippet-files.js';

interface Health {
  readonly info: Record<string, { readonly role?: string; readonly leader?: string; readonly state?: string }>;
}

describeEngine('README, with several replicas', ['redis-server'], () => {
  let server: RedisServer;
  const replicas: Service[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
    const root = snippetsOf(page('README.md')).find(({ code }) => code.includes('new RedisElector'));
    const options = { files: { 'app.module.ts': root?.code ?? '' }, env: { REDIS_URL: server.url } };
    for (let count = 0; count < 2; count++) replicas.push(await Service.start('README.md', options));
  }, 60_000);

  afterAll(async () => {
    for (const replica of replicas) replica.remove();
    await server?.stop();
  });

  it('one of two leads, both are healthy and name it, and the other one leads when it is stopped', async () => {
    await until(() => replicas.some(leads), 40_000);
    const [leader, follower] = leads(replicas[0]!) ? replicas : replicas.toReversed();
    await until(async () => (await election(follower!)).leader !== undefined);

    const [mine, theirs] = [await election(leader!), await election(follower!)];
    expect([mine.role, theirs.role]).toEqual(['leader', 'standby']);
    expect(theirs.leader).toBe(mine.leader);

    await leader!.stop('SIGINT');
    // Far less than the lease, which is 8 s.
    await until(() => leads(follower!), 4000);
    expect(await election(follower!)).toMatchObject({ role: 'leader' });
  }, 90_000);
});

const leads = ({ output }: Service) => output.includes('Leading election "default"');

async function election(replica: Service) {
  const { status, body } = await replica.get('/health');
  expect(status).toBe(200);
  return (body as Health).info['leadership:default']!;
}
