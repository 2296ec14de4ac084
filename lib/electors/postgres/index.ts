export { PostgresElector } from './postgres-elector.js';
export type {
  PostgresClientOptions,
  PostgresElectorOptions,
  PostgresPool,
  PostgresPoolClient,
} from './postgres-elector-options.js';
export { PostgresFence, type FenceClient, type FencedTerm, type PostgresFenceOptions } from './postgres-fence.js';
export { postgresLeaseTableSql } from './lease-table.js';
