import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { EngineAnswerError, EngineRefusalError, RequestTimeoutError } from '../../../lib/core/errors.js';
import { soon, StoreRig } from './store-rig.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What a real server says only when it is ill, or at a moment that no test can choose. */
describe('A gateway that', () => {
  const servers: Server[] = [];
  const rigs: StoreRig[] = [];

  afterEach(async () => {
    for (const rig of rigs.splice(0)) await rig.close();
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });

  const gateway = async (handler: Handler) => {
    const server = createServer(handler).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  const storeOn = (...endpoints: readonly string[]) => {
    const rig = new StoreRig(endpoints);
    rigs.push(rig);
    return { rig, store: rig.open({ requestTimeoutMs: 300 }) };
  };

  const answer =
    (status: number, body: unknown): Handler =>
    (_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };

  const header = { cluster_id: '1', member_id: '2', revision: '9', raft_term: '3' };
  const absent = answer(200, { header });

  test.each<[string, number, unknown, RegExp]>([
    ['is none', 404, 'Not Found\n', /not the JSON gateway of etcd 3\.4 or later/],
    [
      'has no space',
      429,
      { message: 'etcdserver: mvcc: database space exceeded', code: 8 },
      /Compact and defragment it/,
    ],
    ['is corrupt', 500, { message: 'etcdserver: corrupt cluster', code: 15 }, /alarm of corrupt data/],
  ])('%s is a refusal', async (_, status, body, message) => {
    const { rig, store } = storeOn(await gateway(answer(status, body)));
    const error: unknown = await rig.read(store).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EngineRefusalError);
    expect(String(error)).toMatch(message);
  });

  test.each<[string, number, unknown]>([
    ['is busy', 429, { message: 'etcdserver: too many requests', code: 8 }],
    ['has no leader', 503, { message: 'etcdserver: no leader', code: 14 }],
    ['is behind a proxy that cannot reach it', 502, '<html>'],
  ])('%s is tried again, and is no refusal', async (_, status, body) => {
    const { rig, store } = storeOn(await gateway(answer(status, body)));
    const error: unknown = await rig.read(store).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(EngineRefusalError);
  });

  test.each<[string, object]>([
    ['a list that is none', { kvs: 'none' }],
    ['a key without a value', { kvs: [{ key: 'YQ==', mod_revision: '3' }] }],
    ['a value of somebody else', { kvs: [{ mod_revision: '3', value: 'aGVsbG8=' }] }],
    [
      'a state that is not known',
      { kvs: [{ mod_revision: '3', value: Buffer.from('{"state":"?","token":"1"}').toString('base64') }] },
    ],
    [
      'a token that is none',
      { kvs: [{ mod_revision: '3', value: Buffer.from('{"state":"released","token":"x"}').toString('base64') }] },
    ],
  ])('answers %s is not acted on', async (_, body) => {
    const { rig, store } = storeOn(await gateway(answer(200, { header, ...body })));
    await expect(rig.read(store)).rejects.toThrow(EngineAnswerError);
  });

  test('has no leader is left for the next one, which is asked from then on', async () => {
    const asked: string[] = [];
    const note =
      (name: string, handler: Handler): Handler =>
      (request, response) => {
        asked.push(name);
        handler(request, response);
      };
    const ill = await gateway(note('ill', answer(503, { message: 'etcdserver: no leader', code: 14 })));
    const well = await gateway(note('well', absent));
    const { rig, store } = storeOn(ill, well);

    await rig.read(store);
    await rig.read(store);

    expect(asked).toEqual(['ill', 'well', 'well']);
  });

  test('does not answer in time is left for the next one', async () => {
    const { rig, store } = storeOn(await gateway(() => undefined), await gateway(absent));
    await expect(rig.read(store, AbortSignal.timeout(50))).rejects.toThrow();
    expect(await rig.read(store)).toEqual({ kind: 'absent' });
  });

  test('refuses a user is not left for the next one', async () => {
    let asked = 0;
    const denied = await gateway(answer(403, { message: 'etcdserver: permission denied', code: 7 }));
    const other = await gateway((request, response) => {
      asked++;
      absent(request, response);
    });
    const { rig, store } = storeOn(denied, other);

    await expect(rig.read(store)).rejects.toThrow(EngineRefusalError);
    expect(asked).toBe(0);
  });

  const streaming =
    (...messages: readonly object[]): Handler =>
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (const message of messages) response.write(`${JSON.stringify(message)}\n`);
    };
  const created = { result: { header, created: true } };

  test.each<[string, object, RegExp]>([
    ['compacted what it has to tell', { canceled: true, compact_revision: '7' }, /revision "7" was compacted/],
    [
      'lost its leader',
      { canceled: true, cancel_reason: 'rpc error: code = Unavailable desc = etcdserver: no leader' },
      /^etcdserver: no leader/,
    ],
  ])('%s cancels a watch, which rejects so that it is opened again', async (_, result, message) => {
    const { store } = storeOn(await gateway(streaming(created, { result: { header, ...result } })));
    const hints: unknown[] = [];
    const error: unknown = await store
      .watch('default', (it) => hints.push(it), soon())
      .catch((thrown: unknown) => thrown);
    expect((error as Error).message).toMatch(message);
    expect(hints).toEqual([undefined]);
  });

  test('says that a watch is not allowed refuses it', async () => {
    const reason = 'rpc error: code = PermissionDenied desc = etcdserver: permission denied';
    const message = { result: { header, created: true, canceled: true, cancel_reason: reason } };
    const { store } = storeOn(await gateway(streaming(message)));
    await expect(store.watch('default', () => undefined, soon())).rejects.toThrow(EngineRefusalError);
  });

  test('never opens a watch has it given up', async () => {
    const { store } = storeOn(await gateway(streaming()));
    await expect(store.watch('default', () => undefined, soon())).rejects.toThrow(RequestTimeoutError);
  });

  test('ends a watch makes it reject', async () => {
    const { store } = storeOn(await gateway(answer(200, `${JSON.stringify(created)}\n`)));
    await expect(store.watch('default', () => undefined, soon())).rejects.toThrow(/has ended the watch/);
  });

  test('tells of a release, of a deletion and of nonsense, and of no renewal, gives a hint each time but for that', async () => {
    const event = (value: string, mod_revision: string) => ({ kv: { mod_revision, value } });
    const value = (fields: object) => Buffer.from(JSON.stringify(fields)).toString('base64');
    const held = value({ state: 'held', holder: 'a#1', identity: 'a', leaseMs: 1, token: '5', write: 1 });
    const events = [
      event(held, '10'),
      event(value({ state: 'released', token: '5' }), '11'),
      { type: 'DELETE', kv: { mod_revision: '12' } },
      event('aGVsbG8=', '13'),
    ];
    const handler: Handler = (request, response) => {
      streaming(created, { result: { header, events } })(request, response);
      response.end();
    };
    const { store } = storeOn(await gateway(handler));
    const hints: unknown[] = [];
    await store.watch('default', (it) => hints.push(it), soon()).catch(() => undefined);
    expect(hints).toEqual([undefined, { token: 5n }, undefined, undefined]);
  });
});
