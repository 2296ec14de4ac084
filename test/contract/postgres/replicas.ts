import { PostgresElector, type PostgresElectorOptions } from 'nestjs-lifecycle/electors/postgres';
import { LeaseReplicas } from '../lease-replicas.js';
import { TIMING } from './timing.js';

export class Replicas extends LeaseReplicas<PostgresElector, PostgresElectorOptions> {
  constructor() {
    super((options) => new PostgresElector({ namespace: 'orders', timing: TIMING, ...options }));
  }
}
