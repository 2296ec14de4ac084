import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { MysqlElector, mysqlLeaseTableSql, type MysqlElectorOptions } from 'nestjs-lifecycle/electors/mysql';
import { EngineRefusalError } from '../../../lib/core/errors.js';
import { resolveMysqlOptions } from '../../../lib/electors/mysql/mysql-elector-options.js';
import { storeOf } from '../../../lib/electors/mysql/mysql-elector.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { MysqlServer } from '../../fixtures/engines/mysql-server.js';
import { until } from '../../fixtures/until.js';
import { Replicas } from './replicas.js';
import { TIMING } from './timing.js';

describeEngine('The table of MysqlElector', ['mariadbd', 'mariadb-install-db'], () => {
  let server: MysqlServer;
  let replicas: Replicas;
  let made = 0;
  let database: string;

  beforeAll(async () => {
    server = await MysqlServer.start();
    await server.query("CREATE USER app@'127.0.0.1'; CREATE USER secured@'127.0.0.1' IDENTIFIED BY 'right'");
  });

  afterAll(() => server.stop());

  beforeEach(async () => {
    replicas = new Replicas();
    database = `db_${++made}`;
    await server.query(
      `CREATE DATABASE ${database}; GRANT CREATE TEMPORARY TABLES ON ${database}.* TO app@'127.0.0.1'`,
    );
  });

  afterEach(() => replicas.close());

  const url = (user = 'tester') => server.urlOf({ user, database });
  const signal = () => AbortSignal.timeout(20_000);
  const store = (options: Partial<MysqlElectorOptions> = {}) =>
    storeOf(resolveMysqlOptions({ namespace: 'orders', url: url(), hints: false, ...options }));

  async function sql(text: string) {
    const connection = await createConnection(url());
    try {
      return (await connection.query(text))[0] as Record<string, unknown>[];
    } finally {
      await connection.end();
    }
  }

  async function refusalOf(options: Partial<MysqlElectorOptions>): Promise<string> {
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
    await sql(mysqlLeaseTableSql({ table: 'made_by_hand' }));
    await sql(mysqlLeaseTableSql({ table: 'made_by_hand' }));

    const shape = await sql('SHOW FULL COLUMNS FROM made_here');

    expect(shape).toHaveLength(8);
    expect(shape).toEqual(await sql('SHOW FULL COLUMNS FROM made_by_hand'));
  });

  test('can be in another database, and is used by a user that may do nothing else', async () => {
    await sql(`CREATE DATABASE infra_${made}`);
    const table = `infra_${made}.Leases`;
    await sql(mysqlLeaseTableSql({ table }));
    await sql(`GRANT SELECT, INSERT, UPDATE ON infra_${made}.Leases TO app@'127.0.0.1'`);

    const leader = await replicas.leading({ url: server.urlOf({ user: 'app', database: '' }), table });

    expect(leader.failures('error')).toEqual([]);
    await leader.end();
    const [row] = await sql(`SELECT name, holder FROM ${table}`);
    expect(row).toEqual({ name: 'orders/default', holder: null });
  });

  test('is created again when it was dropped, and keeps whatever an identity has in it', async () => {
    const one = store({ address: 'http://h/?q=\'\\"\u{1F980}' });
    const basis = await one.read('default', signal());
    const identity = `o'\\"${'\u{1F980}'.repeat(300)} `;
    const holder = { election: 'default', holder: `${identity}#1`, identity, leaseMs: 1234.5, address: "a'\\" };

    const result = await one.acquire({ ...holder, basis, tokenAbove: 0n }, signal());

    expect(result.won).toBe(true);
    const { election: _, ...seen } = holder;
    expect(await one.read('default', signal())).toMatchObject({ kind: 'held', ...seen });
    await one.close?.();
  });

  test('gives out tokens that no number can be', async () => {
    const one = store();
    const basis = await one.read('default', signal());
    const holder = { election: 'default', holder: 'me#1', identity: 'me', leaseMs: 10_000 };

    const result = await one.acquire({ ...holder, basis, tokenAbove: 9_007_199_254_740_993n }, signal());

    expect(result).toEqual({ won: true, token: 9_007_199_254_740_994n });
    expect(await one.read('default', signal())).toMatchObject({ token: 9_007_199_254_740_994n });
    await one.close?.();
  });

  test('that the user may not create is a refusal with the statement to run', async () => {
    const message = await refusalOf({ url: url('app') });

    expect(message).toContain('denied');
    expect(message).toContain(mysqlLeaseTableSql());
  });

  test('that the user may not use is a refusal with the grant to give', async () => {
    await sql(mysqlLeaseTableSql());

    const message = await refusalOf({ url: url('app') });

    expect(message).toContain('GRANT SELECT, INSERT, UPDATE ON `nestjs_lifecycle_leases`');
  });

  test('that is not there and not to be created is a refusal with the statement to run', async () => {
    const message = await refusalOf({ createTable: false });

    expect(message).toContain(mysqlLeaseTableSql());
    expect(await sql('SHOW TABLES')).toEqual([]);
  });

  test('that is another table is a refusal, and is left alone', async () => {
    await sql('CREATE TABLE nestjs_lifecycle_leases (name text)');

    expect(await refusalOf({})).toContain('is another table');
  });

  test.each([
    ['a wrong password', () => server.urlOf({ user: 'secured:wrong' }), 'Correct the user or the password'],
    ['no password', () => server.urlOf({ user: 'secured' }), 'Correct the user or the password'],
    ['a database that is not there', () => server.urlOf({ database: 'nowhere' }), 'Create the database'],
    ['no database', () => server.urlOf({ database: '' }), 'Name a database'],
    ['a database that is somebody else’s', () => server.urlOf({ user: 'app' }), 'Grant the user access'],
  ])('needs access: %s is a refusal', async (_what, wrongUrl, remedy) => {
    expect(await refusalOf({ url: wrongUrl() })).toContain(remedy);
  });

  test('a refusal reaches the candidate, and is over when somebody has acted on it', async () => {
    const stand = replicas.stand({ createTable: false, url: url() });
    await until(() => stand.failures('refusal').length > 0);

    await sql(mysqlLeaseTableSql());

    await until(() => stand.leads);
  });

  test('on a server that is read-only, attempts fail and are made again, faster than after a refusal', async () => {
    await sql(mysqlLeaseTableSql());
    await server.query('SET GLOBAL read_only = 1');
    const stand = replicas.stand({ url: url() });
    await until(() => stand.failures('error').length > 1);
    expect(stand.failures('error')[0]).toContain('standby, or read-only');
    expect(stand.failures('refusal')).toEqual([]);

    await server.query('SET GLOBAL read_only = 0');

    await until(() => stand.leads);
  });

  test('is described to operators', async () => {
    const elector = new MysqlElector({ namespace: 'orders', url: url(), timing: TIMING, hints: false });
    const summaries = async () => (await elector.diagnose()).map(({ level, summary }) => `${level}: ${summary}`);

    expect(await summaries()).toEqual([
      expect.stringMatching(/^ok: MySQL \d+/),
      expect.stringContaining('warning: After a crash of the host'),
      'note: There is no table `nestjs_lifecycle_leases` yet, or the user may not see it; it is created at the first campaign',
      expect.stringContaining('warning: Releases are noticed by polling'),
    ]);
    await sql(mysqlLeaseTableSql().replace('InnoDB', 'MyISAM'));
    expect((await summaries())[2]).toContain('its engine is MyISAM');
    await elector.close();
  });

  test('a server whose SYSDATE() stands still in a statement is described to operators', async () => {
    const still = await MysqlServer.start({ 'sysdate-is-now': '' });
    const elector = new MysqlElector({ namespace: 'orders', url: still.url, timing: TIMING });

    const summaries = (await elector.diagnose()).map(({ summary }) => summary);

    expect(summaries).toContainEqual(expect.stringContaining('sysdate-is-now'));
    await elector.close();
    await still.stop();
  });

  test('a server that is not there is described to operators', async () => {
    const elector = new MysqlElector({ namespace: 'orders', url: server.urlOf({ port: 1 }), timing: TIMING });

    expect(await elector.diagnose()).toEqual([{ level: 'error', summary: expect.stringContaining('ECONNREFUSED') }]);

    await elector.close();
  });
});
