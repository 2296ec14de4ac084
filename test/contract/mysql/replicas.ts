import { MysqlElector, type MysqlElectorOptions } from 'nestjs-lifecycle/electors/mysql';
import { LeaseReplicas } from '../lease-replicas.js';
import { TIMING } from './timing.js';

export class Replicas extends LeaseReplicas<MysqlElector, MysqlElectorOptions> {
  constructor() {
    super((options) => new MysqlElector({ namespace: 'orders', timing: TIMING, ...options }));
  }
}
