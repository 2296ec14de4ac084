import { RedisElector } from 'nestjs-lifecycle/electors/redis';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { RedisServer } from '../../fixtures/engines/redis-server.js';
import { spreadCases } from '../spread.js';

describeEngine('On Redis', ['redis-server'], () => {
  spreadCases(
    () => RedisServer.start(),
    (options) => new RedisElector(options),
  );
});
