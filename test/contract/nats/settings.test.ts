import { afterEach, expect, test } from '@jest/globals';
import { NatsElector } from 'nestjs-lifecycle/electors/nats';
import { EngineRefusalError } from '../../../lib/core/errors.js';
import type { NatsLeaseStore } from '../../../lib/electors/nats/nats-lease-store.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { NatsServer, type NatsServerOptions } from '../../fixtures/engines/nats-server.js';
import { until } from '../../fixtures/until.js';
import { holder, openStore, read, soon, take, type StoreOptions } from './store-rig.js';

const ADMIN = { user: 'admin', pass: 'secret' };
const MAY = `permissions: {
  publish: [
    "$JS.API.STREAM.INFO.KV_leases", "$JS.API.STREAM.CREATE.KV_leases", "$JS.API.STREAM.MSG.GET.KV_leases",
    "$KV.leases.ns.>", "nestjs-lifecycle.released.leases.ns.>"
  ]
  subscribe: ["_INBOX.>", "nestjs-lifecycle.released.leases.ns.>"]
}`;
const users = (permissions: string) => `authorization { users: [
  { user: admin, password: secret }
  { user: app, password: secret, ${permissions} }
] }`;

describeEngine('NatsLeaseStore on a server', ['nats-server'], () => {
  let server: NatsServer | undefined;
  const stores: NatsLeaseStore[] = [];

  afterEach(async () => {
    await Promise.all(stores.splice(0).map((it) => it.close()));
    await server?.stop();
  });

  const start = async (options: NatsServerOptions = {}) => {
    server = await NatsServer.start(options);
    return server;
  };
  const open = (options: Partial<StoreOptions> & { readonly auth?: object } = {}) => {
    const { auth, ...others } = options;
    const source = { options: { servers: server?.address, ...auth } };
    const store = openStore({ source, namespace: 'ns', bucket: 'leases', ...others });
    stores.push(store);
    return store;
  };
  const refusal = async (store: NatsLeaseStore) => {
    const error: unknown = await read(store).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EngineRefusalError);
    return String(error);
  };

  test('that asks who one is is refused with what to do', async () => {
    await start({ config: users(MAY), admin: ADMIN });

    expect(await refusal(open())).toMatch(/Authorization.*Correct the user, password or token/i);
    expect(await refusal(open({ auth: { user: 'app', pass: 'wrong' } }))).toMatch(/Correct the user/);
  });

  test('that lets this user do what is needed, and no more, is used', async () => {
    await start({ config: users(MAY), admin: ADMIN });
    const store = open({ auth: { user: 'app', pass: 'secret' } });
    const watching = new AbortController();
    const hints: unknown[] = [];
    const watch = store.watch('default', (it) => hints.push(it), watching.signal);
    await until(() => hints.length === 1);

    const own = await take(store, holder('a'));
    expect(await store.renew(own, soon())).toMatchObject({ renewed: true });
    await store.release(own, soon());

    await until(() => hints.length === 2);
    expect((await store.diagnose()).map(({ level }) => level)).not.toContain('error');
    watching.abort();
    await watch;
  });

  test.each(['"$JS.API.STREAM.INFO.KV_leases", ', '"$JS.API.STREAM.MSG.GET.KV_leases",', '"$KV.leases.ns.>", '])(
    'that does not let this user publish to %s is refused with what is needed',
    async (subject) => {
      await start({ config: users(MAY.replace(subject, '')), admin: ADMIN });
      const store = open({ auth: { user: 'app', pass: 'secret' } });

      await expect(take(store, holder('a'))).rejects.toThrow(EngineRefusalError);
      await expect(take(store, holder('a'))).rejects.toThrow(/Permissions Violation.*Let this user publish to/i);
    },
  );

  test('that forbids notices still lets go of a lease, and refuses the watch with what to do', async () => {
    const notices = /,? ?"nestjs-lifecycle.released.leases.ns.>"/g;
    await start({ config: users(MAY.replaceAll(notices, '')), admin: ADMIN });
    const store = open({ auth: { user: 'app', pass: 'secret' } });

    await store.release(await take(store, holder('a')), soon());
    expect(await read(store)).toMatchObject({ kind: 'released' });
    await expect(store.watch('default', () => undefined, soon())).rejects.toThrow(EngineRefusalError);
  });

  test('without JetStream is refused with what to do', async () => {
    await start({ jetStream: false });

    expect(await refusal(open())).toMatch(/Start it with -js/);
    expect(await open().diagnose()).toContainEqual(expect.objectContaining({ level: 'error' }));
  });

  const kv = {
    name: 'KV_leases',
    subjects: ['$KV.leases.>'],
    max_msgs_per_subject: 1,
    discard: 'new',
    storage: 'file',
  };

  test.each([
    ['a TTL that is shorter than the lease', { max_age: 500_000_000 }, /has a TTL of 500 ms/],
    ['one value a key, of which none may be replaced', { discard_new_per_subject: true }, /refuses a second value/],
    ['no acknowledgements', { no_ack: true }, /does not acknowledge/],
    ['other subjects', { subjects: ['other.>'] }, /does not take what is written to \$KV\.leases\.>/],
    ['the retention of a queue', { retention: 'workqueue' }, /keeps values by workqueue/],
  ])('with a bucket that has %s is refused', async (_, settings, message) => {
    const it = await start();
    await it.ask('STREAM.CREATE.KV_leases', { ...kv, ...settings });

    expect(await refusal(open())).toMatch(message);
    expect(await open().diagnose()).toContainEqual(
      expect.objectContaining({ level: 'error', summary: expect.stringMatching(message) }),
    );
  });

  test('with a bucket that may forget is used, and diagnosed', async () => {
    const it = await start();
    const settings = { storage: 'memory', max_age: 60_000_000_000, max_msgs_per_subject: 5, max_bytes: 1_000_000 };
    await it.ask('STREAM.CREATE.KV_leases', { ...kv, ...settings });
    const store = open({ replicas: 3 });

    await take(store, holder('a'));

    const summaries = (await store.diagnose()).map(({ summary }) => summary).join('\n');
    const parts = [/in memory/, /TTL of 60000 ms/, /history/, /limit of size/, /on one server/, /not on 3/];
    for (const part of parts) expect(summaries).toMatch(part);
  });

  test('that is no cluster refuses replicas, with what to do', async () => {
    await start();

    expect(await refusal(open({ replicas: 3 }))).toMatch(/Replicas need a cluster/);
  });

  test('is diagnosed, also before there is a bucket and when it is not there', async () => {
    const it = await start();
    const store = open();
    expect(await store.diagnose()).toEqual([
      { level: 'ok', summary: expect.stringMatching(/^nats-server 2\./) },
      expect.objectContaining({ level: 'note', summary: 'There is no bucket "leases" yet.' }),
    ]);
    await it.kill();

    const findings = await open({ requestTimeoutMs: 500 }).diagnose();

    expect(findings).toMatchObject([{ level: 'error', summary: expect.stringMatching(/ECONNREFUSED|refused/i) }]);
  });

  test('leaves a connection alone that it was given, and refuses one that is closed', async () => {
    const it = await start();
    const { connect } = await import('@nats-io/transport-node');
    const client = await connect({ servers: it.address });
    const elector = new NatsElector({ namespace: 'given', client });
    expect(await elector.diagnose()).not.toEqual([]);

    await elector.close();
    expect(client.isClosed()).toBe(false);
    await client.close();

    expect(await refusal(open({ source: { client } }))).toMatch(/that was given as "client" is closed/);
  });
});
