import { NatsElector } from 'nestjs-lifecycle/electors/nats';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { NatsServer } from '../../fixtures/engines/nats-server.js';
import { spreadCases } from '../spread.js';

describeEngine('On NATS', ['nats-server'], () => {
  spreadCases(
    () => NatsServer.start(),
    ({ url, ...options }) => new NatsElector({ ...options, servers: url }),
  );
});
