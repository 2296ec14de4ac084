import { expect, test } from '@jest/globals';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { until } from '../../fixtures/until.js';
import { Replicas } from './replicas.js';

describeEngine('A standby of PostgreSQL', ['postgres'], () => {
  test('is not believed, and elects once it is promoted', async () => {
    const server = await PostgresServer.start();
    const replicas = new Replicas();
    const before = await replicas.leading({ url: server.url });
    await before.end();
    await server.demote();

    const stand = replicas.stand({ url: server.url });
    await until(() => stand.failures('error').length > 2);
    expect(stand.failures('error').at(-1)).toContain('standby');
    expect([stand.failures('refusal'), stand.terms]).toEqual([[], []]);
    await server.query('SELECT pg_promote()');
    await until(() => stand.leads);

    expect(stand.lastToken).toBeGreaterThan(before.lastToken);
    await replicas.close();
    await server.stop();
  });
});
