import { PostgresElector } from 'nestjs-lifecycle/electors/postgres';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { spreadCases } from '../spread.js';

describeEngine('On PostgreSQL', ['postgres'], () => {
  spreadCases(
    () => PostgresServer.start(),
    (options) => new PostgresElector(options),
  );
});
