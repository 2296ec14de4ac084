import { EtcdElector } from 'nestjs-lifecycle/electors/etcd';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { EtcdServer } from '../../fixtures/engines/etcd-server.js';
import { spreadCases } from '../spread.js';

describeEngine('On etcd', ['etcd'], () => {
  spreadCases(
    () => EtcdServer.start(),
    ({ url, ...options }) => new EtcdElector({ ...options, endpoints: url }),
  );
});
