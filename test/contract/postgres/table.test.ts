import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Client } from 'pg';
import {
  PostgresElector,
  postgresLeaseTableSql,
  type PostgresElectorOptions,
} from 'nestjs-lifecycle/electors/postgres';
import { EngineRefusalError } from '../../../lib/core/errors.js';
import { resolvePostgresOptions } from '../../../lib/electors/postgres/postgres-elector-options.js';
import { storeOf } from '../../../lib/electors/postgres/postgres-elector.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { PostgresServer } from '../../fixtures/engines/postgres-server.js';
import { until } from '../../fixtures/until.js';
import { Replicas } from './replicas.js';
import { TIMING } from './timing.js';

const SHAPE = `SELECT attname, format_type(atttypid, atttypmod) AS type, attnotnull,
  (SELECT array_agg(pg_get_constraintdef(c.oid) ORDER BY 1) FROM pg_constraint c WHERE conrelid = attrelid) AS constraints
  FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum`;

describeEngine('The table of PostgresElector', ['postgres'], () => {
  let server: PostgresServer;
  let replicas: Replicas;
  let made = 0;
  let database: string;

  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.query("CREATE ROLE app LOGIN; CREATE ROLE secured LOGIN PASSWORD 'right'");
  });

  afterAll(() => server.stop());

  beforeEach(async () => {
    replicas = new Replicas();
    database = `db_${++made}`;
    await server.query(`CREATE DATABASE ${database}`);
  });

  afterEach(() => replicas.close());

  const url = (user = 'postgres') => server.urlOf({ user, database });
  const signal = () => AbortSignal.timeout(20_000);
  const store = (options: Partial<PostgresElectorOptions> = {}) =>
    storeOf(resolvePostgresOptions({ namespace: 'orders', url: url(), ...options }));

  async function sql(text: string, values: unknown[] = []) {
    const client = new Client({ connectionString: url() });
    await client.connect();
    try {
      return (await client.query(text, values)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  async function refusalOf(options: Partial<PostgresElectorOptions>): Promise<string> {
    const refusing = store(options);
    try {
      await refusing.read('default', signal());
    } catch (error) {
      expect(error).toBeInstanceOf(EngineRefusalError);
      return (error as Error).message;
    } finally {
      await refusing.close?.();
    }
    throw new Error('It was not refused');
  }

  test('is created by many at once, without an error', async () => {
    const stores = Array.from({ length: 20 }, () => store());

    const records = await Promise.all(stores.map((it) => it.read('default', signal())));

    expect(new Set(records.map(({ kind }) => kind))).toEqual(new Set(['absent']));
    await Promise.all(stores.map(async (it) => it.close?.()));
  });

  test('is created as it is printed', async () => {
    const creating = store({ table: 'made_here' });
    await creating.read('default', signal());
    await creating.close?.();
    await sql(postgresLeaseTableSql({ table: 'made_by_hand' }));
    await sql(postgresLeaseTableSql({ table: 'made_by_hand' }));

    const shape = await sql(SHAPE, ['made_here']);

    expect(shape).toHaveLength(8);
    expect(shape).toEqual(await sql(SHAPE, ['made_by_hand']));
  });

  test('can be in a schema, and is used by a role that may do nothing else', async () => {
    await sql('CREATE SCHEMA infra');
    await sql(postgresLeaseTableSql({ table: 'infra.Leases' }));
    await sql('GRANT USAGE ON SCHEMA infra TO app; GRANT SELECT, INSERT, UPDATE ON infra."Leases" TO app');

    const leader = await replicas.leading({ url: url('app'), table: 'infra.Leases' });

    expect(leader.failures('error')).toEqual([]);
    await leader.end();
    const [row] = await sql('SELECT name, holder FROM infra."Leases"');
    expect(row).toEqual({ name: 'orders/default', holder: '' });
  });

  test('that the role may not create is a refusal with the statement to run', async () => {
    const message = await refusalOf({ url: url('app') });

    expect(message).toContain('permission denied for schema public');
    expect(message).toContain(postgresLeaseTableSql());
  });

  test('that the role may not use is a refusal with the grant to give', async () => {
    await sql(postgresLeaseTableSql());

    const message = await refusalOf({ url: url('app') });

    expect(message).toContain('GRANT SELECT, INSERT, UPDATE ON "nestjs_lifecycle_leases"');
  });

  test('that is not there and not to be created is a refusal with the statement to run', async () => {
    const message = await refusalOf({ createTable: false });

    expect(message).toContain(postgresLeaseTableSql());
    expect(await sql("SELECT to_regclass('nestjs_lifecycle_leases') AS it")).toEqual([{ it: null }]);
  });

  test('whose schema is not there is a refusal', async () => {
    expect(await refusalOf({ table: 'nowhere.leases' })).toContain('Create the schema');
  });

  test('that is another table is a refusal, and is left alone', async () => {
    await sql('CREATE TABLE nestjs_lifecycle_leases (name text)');

    expect(await refusalOf({})).toContain('is another table');
  });

  test.each([
    ['a wrong password', () => server.urlOf({ user: 'secured:wrong' }), 'Correct the user or the password'],
    ['no password', () => server.urlOf({ user: 'secured' }), 'Correct the password'],
    ['a database that is not there', () => server.urlOf({ database: 'nowhere' }), 'Create the database'],
  ])('needs access: %s is a refusal', async (_what, wrongUrl, remedy) => {
    expect(await refusalOf({ url: wrongUrl() })).toContain(remedy);
  });

  test('a refusal reaches the candidate, and is over when somebody has acted on it', async () => {
    const stand = replicas.stand({ createTable: false, url: url() });
    await until(() => stand.failures('refusal').length > 0);

    await sql(postgresLeaseTableSql());

    await until(() => stand.leads);
  });

  test('on a server that is read-only, attempts fail and are made again, faster than after a refusal', async () => {
    await sql(postgresLeaseTableSql());
    await sql(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    const stand = replicas.stand({ url: url() });
    await until(() => stand.failures('error').length > 1);
    expect(stand.failures('error')[0]).toContain('standby, or read-only');
    expect(stand.failures('refusal')).toEqual([]);

    // From another database, in which one may write.
    await server.query(`ALTER DATABASE ${database} SET default_transaction_read_only = off`);

    await until(() => stand.leads);
  });

  test('is described to operators', async () => {
    const elector = new PostgresElector({ namespace: 'orders', url: url(), timing: TIMING, listen: false });
    const summaries = async () => (await elector.diagnose()).map(({ level, summary }) => `${level}: ${summary}`);

    expect(await summaries()).toEqual([
      expect.stringMatching(/^ok: PostgreSQL \d+/),
      expect.stringContaining('warning: After a crash'),
      'note: There is no table "nestjs_lifecycle_leases" yet; it is created at the first campaign',
      'note: Where the table "nestjs_lifecycle_leases" is depends on the search_path, which now leads to the schema "public"',
      expect.stringContaining('warning: Releases are noticed by polling'),
    ]);
    const byHand = new PostgresElector({ namespace: 'orders', url: url(), timing: TIMING, createTable: false });
    expect(await byHand.diagnose()).toContainEqual({
      level: 'error',
      summary: 'There is no table "nestjs_lifecycle_leases" yet, and createTable is false',
      remedy: postgresLeaseTableSql(),
    });
    await byHand.close();
    await sql(postgresLeaseTableSql().replace(',\n  UNIQUE (name, token)', ''));
    expect((await summaries())[2]).toBe('error: Without UNIQUE (name, token) the fence fences nothing');
    await elector.close();
  });

  test('whose schema is left to the search_path is described to operators, with the schema that it is in now', async () => {
    await sql('CREATE SCHEMA infra; CREATE SCHEMA other');
    await sql(postgresLeaseTableSql({ table: 'infra.leases' }));
    const schemas = async (table: string, options: string) => {
      const elector = new PostgresElector({
        namespace: 'orders',
        options: { connectionString: url(), options },
        table,
      });
      const remedies = (await elector.diagnose()).flatMap(({ remedy = '' }) => /table: '[^']*'/.exec(remedy) ?? []);
      await elector.close();
      return remedies.map(String);
    };

    expect(await schemas('leases', '-c search_path=other,infra')).toEqual(["table: 'infra.leases'"]);
    expect(await schemas('leases', '-c search_path=other')).toEqual(["table: 'other.leases'"]);
    expect(await schemas('leases', '-c search_path=nowhere')).toEqual(["table: 'schema.leases'"]);
    expect(await schemas('infra.leases', '-c search_path=other')).toEqual([]);
  });

  test('a server that is not there is described to operators', async () => {
    const elector = new PostgresElector({ namespace: 'orders', url: server.urlOf({ port: 1 }), timing: TIMING });

    expect(await elector.diagnose()).toEqual([{ level: 'error', summary: expect.stringContaining('ECONNREFUSED') }]);

    await elector.close();
  });
});
