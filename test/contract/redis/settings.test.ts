import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster } from 'redis';
import { EngineRefusalError, EngineStandbyError } from '../../../lib/core/errors.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { RedisServer, type RedisServerOptions } from '../../fixtures/engines/redis-server.js';
import { until } from '../../fixtures/until.js';
import { soon, StoreRig, type StoreOptions } from './store-rig.js';

describeEngine('RedisLeaseStore on a server', ['redis-server'], () => {
  const servers: RedisServer[] = [];
  const endings: (() => unknown)[] = [];
  let rig: StoreRig;

  const start = async (options: RedisServerOptions = {}) => {
    const server = await RedisServer.start(options);
    servers.push(server);
    rig = new StoreRig(server.port);
    endings.push(() => rig.close());
    return server;
  };

  beforeEach(() => {
    servers.length = 0;
    endings.length = 0;
  });

  afterEach(async () => {
    for (const end of endings.toReversed()) await end();
    for (const server of servers) await server.stop();
  });

  const refusal = async (options: StoreOptions) => {
    const error: unknown = await rig.read(rig.open(options)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EngineRefusalError);
    return String(error);
  };

  const acl = (...rules: string[]) => rig.admin.call('ACL', 'SETUSER', 'app', 'on', '>secret', ...rules);
  const asApp = (password = 'secret') => ({ source: { url: rig.url.replace('//', `//app:${password}@`) } });

  test('that asks for a password is refused with what to do', async () => {
    await start();
    await rig.admin.config('SET', 'requirepass', 'secret');

    expect(await refusal({})).toMatch(/NOAUTH.*Give one in the URL or the options/);
    expect(await refusal({ source: { url: rig.url.replace('//', '//:wrong@') } })).toMatch(/WRONGPASS.*Correct/);

    const store = rig.open({ source: { url: rig.url.replace('//', '//:secret@') } });
    expect(await rig.read(store)).toEqual({ kind: 'absent' });
    await rig.admin.call('AUTH', 'secret');
  });

  test('that lets this user do too little is refused with what is needed, which is enough', async () => {
    await start();
    await acl('~*', '&*', '+eval', '+@connection', '+hello', '+client');
    expect(await refusal(asApp())).toMatch(/can't run this command.*Let this user run/);

    const needed = 'eval time hmget hget hset hincrby exists pttl pexpire persist del publish subscribe unsubscribe';
    await acl('resetkeys', `~{${rig.namespace}/*`, 'resetchannels', `&{${rig.namespace}/*`);
    await acl('-@all', '+@connection', ...needed.split(' ').map((it) => `+${it}`));
    const store = rig.open(asApp());
    const watching = new AbortController();
    let hints = 0;
    const watch = store.watch('default', () => hints++, watching.signal);
    await until(() => hints === 1);

    const own = await rig.take(store, rig.holder('a'));
    await store.renew(own, soon());
    await store.release(own, soon());

    await until(() => hints === 2);
    expect(await store.diagnose()).toMatchObject([{ level: 'warning', remedy: expect.stringContaining('+info') }]);
    watching.abort();
    await watch;
  });

  test('that forbids the channel still lets go of a lease, and refuses the watch with what to do', async () => {
    await start();
    await acl('~*', 'resetchannels', '+@all');
    const store = rig.open(asApp());

    await store.release(await rig.take(store, rig.holder('a')), soon());
    expect(await rig.read(store)).toMatchObject({ kind: 'released' });
    await expect(store.watch('default', () => undefined, soon())).rejects.toThrow(EngineRefusalError);
  });

  test('that is out of memory refuses writes with what to do, and can still be read', async () => {
    await start();
    const store = rig.open();
    const own = await rig.take(store, rig.holder('a'));
    await rig.admin.config('SET', 'maxmemory', '1');

    await expect(store.renew(own, soon())).rejects.toThrow(/OOM.*Raise maxmemory/);
    expect(await rig.read(store)).toMatchObject({ kind: 'held' });
    await rig.admin.config('SET', 'maxmemory', '0');
    expect(await store.renew(own, soon())).toMatchObject({ renewed: true });
  });

  test('that is a replica is not even read from', async () => {
    const primary = await start();
    const replica = await RedisServer.start({ replicaOf: primary.port });
    servers.push(replica);

    const store = rig.open({ source: { url: replica.url } });
    await expect(rig.read(store)).rejects.toThrow(EngineStandbyError);
    const findings = await rig.open({ source: { url: replica.url } }).diagnose();
    expect(findings).toContainEqual(expect.objectContaining({ level: 'error' }));
  });

  test('with a replica counts a lease only when that has it', async () => {
    const primary = await start();
    const replica = await RedisServer.start({ replicaOf: primary.port });
    servers.push(replica);
    const patient = rig.open({ wait: { replicas: 1, timeoutMs: 1000 } });
    const store = rig.open({ wait: { replicas: 1, timeoutMs: 100 } });
    // A replica that is online may still have to catch up.
    await until(async () => (await rig.take(patient, rig.holder('first')).catch(() => undefined)) !== undefined);
    await patient.release(rig.holder('first'), soon());
    const own = await rig.take(patient, rig.holder('a'));
    expect(await patient.renew(own, soon())).toMatchObject({ renewed: true });
    expect(await replica.command('exists', rig.leaseKey)).toBe(1);

    replica.suspend();
    await expect(store.renew(own, soon())).rejects.toThrow(/"renew" has reached 0 of 1 replicas within 100 ms/);
    await store.release(own, soon());
    await expect(rig.take(store, rig.holder('b'))).rejects.toThrow(/"acquire" has reached 0 of 1/);
    expect(await rig.read(store)).toMatchObject({ kind: 'released' });

    replica.resume();
    await until(async () => (await rig.take(store, rig.holder('c')).catch(() => undefined)) !== undefined);
  });

  test('is diagnosed by what may lose a lease', async () => {
    const primary = await start();
    const good = await RedisServer.start({ appendonly: true });
    servers.push(good);
    expect(await rig.open({ source: { url: good.url } }).diagnose()).toEqual([
      { level: 'ok', summary: expect.stringMatching(/^Redis \d/) },
    ]);

    const replica = await RedisServer.start({ replicaOf: primary.port });
    servers.push(replica);
    await rig.admin.config('SET', 'maxmemory', '100mb', 'maxmemory-policy', 'allkeys-lru');
    await until(async () => (await rig.admin.info('replication')).includes('connected_slaves:1'));
    const client = new Redis(rig.url);
    endings.push(() => client.disconnect());

    const summaries = (await rig.open({ source: { client } }).diagnose()).map(({ summary }) => summary).join('\n');

    for (const part of [/allkeys-lru/, /appendonly is off/, /1 replica\(s\) and no "wait"/, /queues commands/]) {
      expect(summaries).toMatch(part);
    }
    const wait = { replicas: 2, timeoutMs: 100 };
    const findings = await rig.open({ wait }).diagnose();
    expect(findings).toContainEqual(
      expect.objectContaining({ level: 'error', summary: expect.stringMatching(/is 2/) }),
    );
  });

  test('that is not there is diagnosed as such', async () => {
    const server = await start();
    await server.kill();

    const findings = await rig.open({ requestTimeoutMs: 500 }).diagnose();

    expect(findings).toMatchObject([{ level: 'error', summary: expect.stringMatching(/ECONNREFUSED/) }]);
  });

  test('of a cluster is used with a client for clusters, and refused with another', async () => {
    const server = await start({ args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] });
    await rig.admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await until(async () => String(await rig.admin.call('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    const ioredis = new Cluster([{ host: '127.0.0.1', port: server.port }]);
    const nodeRedis = createCluster({ rootNodes: [{ url: rig.url }] });
    await nodeRedis.connect();
    endings.push(
      () => ioredis.disconnect(),
      () => nodeRedis.destroy(),
    );

    for (const client of [ioredis, nodeRedis]) {
      const store = rig.open({ source: { client } });
      const watching = new AbortController();
      let hints = 0;
      const watch = store.watch('default', () => hints++, watching.signal);
      await until(() => hints === 1);

      const own = await rig.take(store, rig.holder('a'));
      await store.renew(own, soon());
      await store.release(own, soon());

      expect(await rig.read(store)).toMatchObject({ kind: 'released' });
      await until(() => hints === 2);
      watching.abort();
      await watch;
      expect(await store.diagnose()).not.toEqual([]);
    }
  });

  test('is used under the prefixes of the client and of the elector', async () => {
    await start();
    const client = new Redis(rig.url, { keyPrefix: 'of-client:' });
    endings.push(() => client.disconnect());

    await rig.take(rig.open({ source: { client }, keyPrefix: 'of-elector:' }), rig.holder('a'));

    expect(await rig.admin.exists(`of-client:of-elector:${rig.leaseKey}`)).toBe(1);
  });

  test('has a client that listens refused, with what to do', async () => {
    await start();
    const client = new Redis(rig.url, { protocol: 2 });
    endings.push(() => client.disconnect());
    await client.subscribe('something');

    expect(await refusal({ source: { client } })).toMatch(/Pass one of its own for commands/);
  });

  test('that is given by an option object with a database is used there', async () => {
    const server = await start();
    const store = rig.open({ source: { options: { host: '127.0.0.1', port: server.port, db: 3 } } });

    await rig.take(store, rig.holder('a'));

    await rig.admin.select(3);
    expect(await rig.admin.exists(rig.leaseKey)).toBe(1);
  });

  test('is told to clients of node-redis that map texts to buffers', async () => {
    await start();
    const client = createClient({ url: rig.url, commandOptions: { typeMapping: { 36: Buffer } } });
    await client.connect();
    endings.push(() => client.destroy());

    const own = await rig.take(rig.open({ source: { client } }), rig.holder('a'));

    expect(typeof own.token).toBe('bigint');
  });
});
