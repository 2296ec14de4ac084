import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { PostgresFence, type PostgresElectorOptions } from 'nestjs-lifecycle/electors/postgres';
import type { LeadershipTerm } from '../../../lib/core/elector.js';
import { StaleTokenError } from '../../../lib/core/errors.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { TcpProxy } from '../../fixtures/engines/tcp-proxy.js';
import { until } from '../../fixtures/until.js';
import type { LeaseReplica } from '../lease-replica.js';
import { Replicas } from './replicas.js';
import { STEADY, TIMING } from './timing.js';

const LONG_MS = 2 * TIMING.leaseMs;

describe.each(['lease', 'session'] as const)("with crashDetection: '%s'", (crashDetection) => {
  describeEngine('The fence of PostgreSQL', ['postgres'], () => {
    let server: PostgresServer;
    let proxy: TcpProxy;
    let replicas: Replicas;
    let client: Client;

    beforeAll(async () => {
      server = await PostgresServer.start();
    });

    afterAll(() => server.stop());

    beforeEach(async () => {
      replicas = new Replicas();
      proxy = await TcpProxy.open({ target: server, held: 'reset' });
      client = new Client({ connectionString: server.url });
      await client.connect();
      await client.query('CREATE TABLE IF NOT EXISTS payments (amount integer)');
    });

    afterEach(async () => {
      await client.end();
      await proxy.set('pass');
      await replicas.close();
      await proxy.close();
      await server.query('DROP TABLE nestjs_lifecycle_leases, payments');
    });

    const fence = new PostgresFence({ namespace: 'orders' });
    const termOf = ({ terms }: LeaseReplica) => terms.at(-1) as LeadershipTerm;

    async function leaderAndFollower(options: Partial<PostgresElectorOptions> = {}) {
      const all = { crashDetection, ...options };
      const leader = await replicas.leading({ url: server.urlOf({ port: proxy.port }), ...all });
      return [leader, await replicas.following(leader, { url: server.url, ...all })] as const;
    }

    test('a transaction that has passed the fence commits before another candidate leads', async () => {
      const [leader, follower] = await leaderAndFollower();
      await client.query('BEGIN');
      await fence.assert(client, termOf(leader));

      await proxy.set('blackhole');
      await until(() => !leader.leads);
      await pause(LONG_MS);
      expect(follower.terms).toEqual([]);
      await client.query('INSERT INTO payments VALUES (1)');
      await client.query('COMMIT');

      await until(() => follower.leads);
    });

    test('nobody waits in the server for a transaction that has passed the fence', async () => {
      const [leader] = await leaderAndFollower();
      await client.query('BEGIN');
      await fence.assert(client, termOf(leader));
      await proxy.set('blackhole');
      await until(() => !leader.leads);
      await pause(LONG_MS);

      const waiting = await server.query("SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock'");

      expect(waiting).toEqual([]);
      await client.query('COMMIT');
    });

    test('renewals go on while a transaction has passed the fence', async () => {
      const [leader] = await leaderAndFollower(STEADY);
      await client.query('BEGIN');
      await fence.assert(client, termOf(leader));
      const before = leader.renewals;

      await until(() => leader.renewals > before + 10);

      expect([leader.leads, leader.terms.length]).toEqual([true, 1]);
      await client.query('COMMIT');
    });

    test('a release goes on while a transaction has passed the fence, a take-over waits', async () => {
      const [leader, follower] = await leaderAndFollower();
      await client.query('BEGIN');
      await fence.assert(client, termOf(leader));

      await leader.end();
      await pause(LONG_MS);
      expect(follower.terms).toEqual([]);
      await client.query('ROLLBACK');

      await until(() => follower.leads);
    });

    test('a token under which somebody else has led since does not pass', async () => {
      const [leader, follower] = await leaderAndFollower();
      const term = termOf(leader);
      await proxy.set('blackhole');
      await until(() => follower.leads);

      await expect(fence.assert(client, term)).rejects.toThrow(StaleTokenError);

      await expect(fence.assert(client, termOf(follower))).resolves.toBeUndefined();
    });

    test('a token does not pass after its lease was given back', async () => {
      const [leader] = await leaderAndFollower();
      const term = termOf(leader);
      await leader.end();

      await expect(fence.assert(client, term)).rejects.toMatchObject({ code: 'ERR_LIFECYCLE_STALE_TOKEN' });
    });

    test('a transaction that sees one moment passes when the fence is its first statement', async () => {
      const [leader] = await leaderAndFollower();

      await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
      await fence.assert(client, termOf(leader));
      await client.query('INSERT INTO payments VALUES (1)');
      await client.query('COMMIT');

      expect((await client.query('SELECT 1 FROM payments')).rows).toHaveLength(1);
    });

    test('the statement answers one row, or none, for clients of any kind', async () => {
      const [leader] = await leaderAndFollower();
      const { election, fencingToken } = termOf(leader);
      const { elector } = leader;
      const ask = async (token: bigint) => {
        const { text, values } = elector.fence.statement({ election, fencingToken: token });
        return (await client.query(text, values)).rows.length;
      };

      expect([await ask(fencingToken), await ask(fencingToken - 1n)]).toEqual([1, 0]);
    });
  });
});
