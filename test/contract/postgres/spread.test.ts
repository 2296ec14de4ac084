import { test } from '@jest/globals';
import { PostgresElector } from 'nestjs-lifecycle/electors/postgres';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { expectSpread } from '../spread.js';

describeEngine('On PostgreSQL', ['postgres'], () => {
  test.each([0, 200])('nine elections are spread over three replicas that start %d ms apart', async (gapMs) => {
    const server = await PostgresServer.start();
    const electors: PostgresElector[] = [];
    const create = () => {
      const elector = new PostgresElector({ namespace: 'spread', url: server.url, timing: 'fast', spread: true });
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
