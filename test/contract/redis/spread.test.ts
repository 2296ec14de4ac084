import { test } from '@jest/globals';
import { RedisElector } from 'nestjs-lifecycle/electors/redis';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { RedisServer } from '../../fixtures/engines/redis-server.js';
import { expectSpread } from '../spread.js';

describeEngine('On Redis', ['redis-server'], () => {
  test.each([0, 200])('nine elections are spread over three replicas that start %d ms apart', async (gapMs) => {
    const server = await RedisServer.start();
    const electors: RedisElector[] = [];
    const create = () => {
      const elector = new RedisElector({ namespace: 'spread', url: server.url, timing: 'fast', spread: true });
      electors.push(elector);
      return elector;
    };
    try {
      await expectSpread(create, gapMs, 3000);
    } finally {
      await Promise.all(electors.map((it) => it.close()));
      await server.stop();
    }
  });
});
