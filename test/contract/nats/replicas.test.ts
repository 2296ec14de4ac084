import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EngineRefusalError } from '../../../lib/core/errors.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { NatsCluster } from '../../fixtures/engines/nats-cluster.js';
import { openStore, read } from './store-rig.js';

describeEngine('A cluster of NATS with fewer servers than replicas', ['nats-server'], () => {
  let cluster: NatsCluster;

  beforeAll(async () => {
    cluster = await NatsCluster.start();
  }, 90_000);

  afterAll(() => cluster.stop());

  test('is refused with what to do, and not with what to look at in a bucket that there is not', async () => {
    const store = openStore({
      source: { options: { servers: cluster.addresses } },
      namespace: 'ns',
      bucket: 'five',
      replicas: 5,
      requestTimeoutMs: 10_000,
    });

    const error: unknown = await read(store).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(EngineRefusalError);
    expect(String(error)).toMatch(/as many servers/);
    await store.close();
  });
});
