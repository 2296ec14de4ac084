import { MysqlElector } from 'nestjs-lifecycle/electors/mysql';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { MysqlServer } from '../../fixtures/engines/mysql-server.js';
import { spreadCases } from '../spread.js';

describeEngine('On MySQL', ['mariadbd', 'mariadb-install-db'], () => {
  spreadCases(
    () => MysqlServer.start(),
    (options) => new MysqlElector(options),
  );
});
