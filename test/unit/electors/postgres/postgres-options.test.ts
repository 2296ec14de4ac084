import { describe, expect, test } from '@jest/globals';
import { Pool, type ClientConfig } from 'pg';
import { PostgresElector, PostgresFence, postgresLeaseTableSql } from 'nestjs-lifecycle/electors/postgres';
import { InvalidOptionError } from '../../../../lib/core/errors.js';
import { resolvePostgresOptions } from '../../../../lib/electors/postgres/postgres-elector-options.js';

const url = 'postgres://127.0.0.1/orders';
const pool = { connect: () => undefined, query: () => undefined, end: () => undefined };

describe('PostgresElector refuses options that cannot work', () => {
  test.each([
    ['nothing', undefined, '"options"'],
    ['no namespace', { url }, '"namespace"'],
    ['a namespace that is no name', { namespace: 'My Orders', url }, '"namespace"'],
    ['no server', { namespace: 'orders' }, 'exactly one of "url", "options" and "pool"'],
    ['two servers', { namespace: 'orders', url, options: {} }, 'exactly one of "url", "options" and "pool"'],
    ['an empty url', { namespace: 'orders', url: ' ' }, '"url"'],
    ['options that are none', { namespace: 'orders', options: 'host=db' }, '"options"'],
    ['a client instead of a pool', { namespace: 'orders', pool: { connect: () => undefined } }, '"pool"'],
    ['an option that is not known', { namespace: 'orders', url, client: {} }, '"client"'],
    ['a table that is no name', { namespace: 'orders', url, table: 'leases; DROP TABLE x' }, '"table"'],
    ['a table in a schema in a database', { namespace: 'orders', url, table: 'a.b.c' }, '"table"'],
    ['createTable that is no boolean', { namespace: 'orders', url, createTable: 'no' }, '"createTable"'],
    ['a crash detection that is not known', { namespace: 'orders', url, crashDetection: 'lock' }, '"crashDetection"'],
    ['listen: true', { namespace: 'orders', url, listen: true }, '"listen"'],
    ['listen nowhere', { namespace: 'orders', url, listen: {} }, '"listen"'],
    ['listen in two places', { namespace: 'orders', url, listen: { url, options: {} } }, '"listen"'],
    ['listen with a pool', { namespace: 'orders', url, listen: { pool } }, '"pool"'],
    ['a timing that does not fit', { namespace: 'orders', url, timing: { leaseMs: 2000 } }, '"timing"'],
  ])('%s', (_what, options, says) => {
    const create = () => new PostgresElector(options as never);

    expect(create).toThrow(InvalidOptionError);
    expect(create).toThrow(says);
  });

  test('a pool that is too small for what is taken out for good', () => {
    const sized = (max: number) => ({ namespace: 'orders', pool: { ...pool, options: { max } } }) as never;

    expect(() => new PostgresElector(sized(1))).toThrow('a max of at least 2');
    expect(() => new PostgresElector(sized(2))).not.toThrow();
    expect(() => new PostgresElector({ ...(sized(1) as object), listen: false } as never)).not.toThrow();
    const inSession = { ...(sized(2) as object), crashDetection: 'session' };
    expect(() => new PostgresElector(inSession as never)).toThrow('a max of at least 3');
  });
});

describe('PostgresElector takes', () => {
  test('the pool and the client options of pg as they are typed', async () => {
    const options: ClientConfig = { host: '127.0.0.1', ssl: { rejectUnauthorized: true } };
    const real = new Pool({ max: 5 });

    expect(new PostgresElector({ namespace: 'orders', options })).toBeInstanceOf(PostgresElector);
    expect(new PostgresElector({ namespace: 'orders', pool: real })).toBeInstanceOf(PostgresElector);
    await real.end();
  });

  test('by default long leases, and short ones with sessions', () => {
    const lease = resolvePostgresOptions({ namespace: 'orders', url }).lease.timing;
    const session = resolvePostgresOptions({ namespace: 'orders', url, crashDetection: 'session' }).lease.timing;

    expect(lease).toMatchObject({ leaseMs: 8000, renewMs: 2000, requestTimeoutMs: 1500, stopBudgetMs: 1500 });
    expect(session).toMatchObject({ leaseMs: 1600, renewMs: 400, requestTimeoutMs: 200, stopBudgetMs: 500 });
  });

  test('no connection before a campaign begins', async () => {
    const elector = new PostgresElector({ namespace: 'orders', url: 'postgres://127.0.0.1:1/nowhere' });

    await elector.close();

    expect(elector.reportsWithinMs).toBe(9500);
  });
});

describe('postgresLeaseTableSql()', () => {
  test('quotes each part of the name', () => {
    expect(postgresLeaseTableSql({ table: 'infra.Leases' })).toContain('CREATE TABLE IF NOT EXISTS "infra"."Leases" (');
  });

  test('refuses what is no name', () => {
    expect(() => postgresLeaseTableSql({ table: 'a"b' })).toThrow(InvalidOptionError);
  });
});

describe('PostgresFence', () => {
  const fence = new PostgresFence({ namespace: 'orders', table: 'infra.leases' });
  const term = { election: 'mails', fencingToken: 7n };
  const answering = (result: unknown) => ({ query: () => Promise.resolve(result) });

  test('asks for the key of the term in a lock that renewals do not need', () => {
    const { text, values } = fence.statement(term);

    expect(text).toMatch(/FROM "infra"\."leases" WHERE name = \$1 AND token = \$2.* FOR KEY SHARE$/);
    expect(values).toEqual(['orders/mails', '7']);
  });

  test.each([[[{ fenced: 1 }]], [{ rows: [{ fenced: 1 }] }]])('passes with a row: %j', async (result) => {
    await expect(fence.assert(answering(result), term)).resolves.toBeUndefined();
  });

  test.each([[[]], [{ rows: [] }]])('does not pass without one: %j', async (result) => {
    await expect(fence.assert(answering(result), term)).rejects.toThrow('Token 7 of election "mails" is stale');
  });

  test.each([[undefined], [{ rowCount: 1 }], [1]])(
    'trusts no answer that it does not understand: %j',
    async (result) => {
      await expect(fence.assert(answering(result), term)).rejects.toThrow(TypeError);
    },
  );

  test('refuses options that cannot work', () => {
    expect(() => new PostgresFence({ namespace: 'My Orders' })).toThrow(InvalidOptionError);
    expect(() => new PostgresFence({ namespace: 'orders', schema: 'infra' } as never)).toThrow(InvalidOptionError);
  });
});
