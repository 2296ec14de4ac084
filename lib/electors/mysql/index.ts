export { MysqlElector } from './mysql-elector.js';
export type {
  MysqlCallbackPool,
  MysqlClientOptions,
  MysqlElectorOptions,
  MysqlPool,
  MysqlPoolConnection,
} from './mysql-elector-options.js';
export { mysqlLeaseTableSql } from './lease-table.js';
