import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { KubernetesApi } from '../../fixtures/engines/kubernetes-api.js';
import { KubernetesRealApi, REAL_API } from '../../fixtures/engines/kubernetes-real-api.js';
import { askApi, LeaseClerk, openApi, textOf, type ApiAnswer } from '../../fixtures/engines/kubernetes-requests.js';
import { scripted, SharedApi, type ApiServer } from './shared-api.js';

/** What a real kube-apiserver has answered. */
const RECORDED = readFileSync(new URL('../../fixtures/engines/kubernetes/lease-answers.txt', import.meta.url), 'utf8');
const COLLECTION = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const TIME = '2026-11-30T12:44:41.152000Z';

interface Step {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path?: string;
  readonly body?: object;
  /** Asked without a token that is accepted. */
  readonly as?: 'nobody' | 'anonymous';
}

const KEY = { namespace: 'default', name: 'a' };

const spec = (fields: object = {}) => ({ holderIdentity: 'x', leaseDurationSeconds: 15, ...fields });
const lease = (fields: object = {}, metadata: object = {}) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'a', ...metadata },
  spec: spec(fields),
});

/** In the words of the recording, and in its order. `rv` is the version of the Lease now, `stale` one from before. */
const STEPS: readonly [string, (now: { rv: string; stale: string; uid: string }) => Step][] = [
  ['GET missing', () => ({ method: 'GET', path: '/a' })],
  [
    'POST ms time',
    () => {
      const time = '2026-11-30T12:44:41.071Z';
      return { method: 'POST', body: lease({ acquireTime: time, renewTime: time }) };
    },
  ],
  ['POST ns time (9 digits)', () => ({ method: 'POST', body: lease({ renewTime: '2026-01-01T00:00:00.123456789Z' }) })],
  ['POST sec time', () => ({ method: 'POST', body: lease({ renewTime: '2026-01-01T00:00:00Z' }) })],
  ['POST dur 0', () => ({ method: 'POST', body: lease({ leaseDurationSeconds: 0 }) })],
  ['POST dur 1.5', () => ({ method: 'POST', body: lease({ leaseDurationSeconds: 1.5 }) })],
  ['POST trans -1', () => ({ method: 'POST', body: lease({ leaseTransitions: -1 }) })],
  ['PUT missing, no rv', () => ({ method: 'PUT', path: '/a', body: lease() })],
  ['', () => ({ method: 'DELETE', path: '/a' })],
  ['PUT missing, with rv', () => ({ method: 'PUT', path: '/a', body: lease({}, { resourceVersion: '1' }) })],
  ['', () => ({ method: 'DELETE', path: '/a' })],
  ['POST ok', () => ({ method: 'POST', body: lease({ acquireTime: TIME, renewTime: TIME, leaseTransitions: 0 }) })],
  ['POST dup', () => ({ method: 'POST', body: lease() })],
  ['PUT no rv', () => ({ method: 'PUT', path: '/a', body: lease() })],
  [
    'PUT identical (noop)',
    ({ rv }) => ({
      method: 'PUT',
      path: '/a',
      body: lease({ acquireTime: TIME, renewTime: TIME, leaseTransitions: 0 }, { resourceVersion: rv }),
    }),
  ],
  [
    'PUT new renewTime',
    ({ rv }) => {
      const times = { acquireTime: TIME, renewTime: '2026-11-30T12:44:41.182000Z', leaseTransitions: 0 };
      return { method: 'PUT', path: '/a', body: lease(times, { resourceVersion: rv }) };
    },
  ],
  ['PUT stale rv', ({ stale }) => ({ method: 'PUT', path: '/a', body: lease({}, { resourceVersion: stale }) })],
  [
    'PUT stale rv identical to stale obj',
    ({ stale }) => ({
      method: 'PUT',
      path: '/a',
      body: lease({ acquireTime: TIME, renewTime: TIME, leaseTransitions: 0 }, { resourceVersion: stale }),
    }),
  ],
  [
    'PUT wrong uid',
    ({ rv }) => ({
      method: 'PUT',
      path: '/a',
      body: lease({}, { resourceVersion: rv, uid: '00000000-0000-0000-0000-000000000000' }),
    }),
  ],
  [
    'PUT name mismatch',
    ({ rv }) => ({ method: 'PUT', path: '/a', body: lease({}, { name: 'b', resourceVersion: rv }) }),
  ],
  [
    'PUT release',
    ({ rv }) => {
      const time = '2026-11-30T12:44:41.212000Z';
      const fields = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
      return { method: 'PUT', path: '/a', body: lease({ ...fields, leaseTransitions: 0 }, { resourceVersion: rv }) };
    },
  ],
  [
    'PUT dur 0',
    ({ rv }) => ({ method: 'PUT', path: '/a', body: lease({ leaseDurationSeconds: 0 }, { resourceVersion: rv }) }),
  ],
  [
    'DELETE rv precond stale',
    ({ stale }) => ({ method: 'DELETE', path: '/a', body: { preconditions: { resourceVersion: stale } } }),
  ],
  [
    'DELETE rv precond ok',
    ({ rv }) => ({ method: 'DELETE', path: '/a', body: { preconditions: { resourceVersion: rv } } }),
  ],
  ['recreate: rv keeps rising, transitions absent', () => ({ method: 'POST', body: lease() })],
  ['unauth 401', () => ({ method: 'GET', path: '/a', as: 'nobody' })],
  ['anon 403', () => ({ method: 'GET', path: '/a', as: 'anonymous' })],
];

describe(REAL_API === undefined ? 'the double of the Lease API' : 'a real API server', () => {
  const shared = new SharedApi();
  let api: ApiServer;
  let clerk: LeaseClerk;

  beforeAll(async () => {
    api = await shared.started();
    clerk = new LeaseClerk(api.accessBy());
  }, 60_000);

  afterAll(() => shared.stop());

  test('answers what a real API server has answered, in the same order', async () => {
    let [first, stale] = ['', ''];
    for (const [name, stepOf] of STEPS) {
      const { resourceVersion: rv = '', uid = '' } = (await clerk.find(KEY))?.metadata ?? {};
      const answer = await ask(api, stepOf({ rv, stale, uid }));
      if (name === 'POST ok') first = (answer.body['metadata'] as { resourceVersion: string }).resourceVersion;
      stale = first;
      if (name !== '') expect([name, essence(answer)]).toEqual([name, essence(recorded(name))]);
    }
    for (const [name] of STEPS) if (name !== '') expect(RECORDED).toContain(`## ${name} ->`);
  });

  test('creates nothing by an update that names the uid of what is gone', async () => {
    const uid = '742cd955-a780-4bc8-801a-dbd4fcca89d9';
    const body = lease({}, { name: 'gone', uid, resourceVersion: '1' });
    const answer = await ask(api, { method: 'PUT', path: '/gone', body });

    expect(answer).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
    expect(answer.body['message']).toMatch(
      /Precondition failed: UID in precondition: 742cd955.*, UID in object meta: $/,
    );
  });

  // A real one writes by itself meanwhile.
  scripted(
    'gives every write a larger version, over deletions too, and none to a write that changes nothing',
    async () => {
      const names = ['POST ok', 'PUT identical (noop)', 'PUT new renewTime', 'PUT release'];
      const versions = names.map((name) => Number(recorded(name).body['rv']));
      expect(versions).toEqual([511, 511, 512, 513]);
      const { leases } = double(api);
      const { version } = leases;
      leases.delete(KEY);
      await ask(api, { method: 'POST', body: lease() });
      expect(leases.version).toBe(version + 2n);
    },
  );

  test.each([
    ['watch no rv: synthetic ADDED then live', undefined, ['ADDED', 'MODIFIED', 'DELETED']],
    ['watch from rv: only newer', 'now', ['MODIFIED', 'DELETED']],
  ])('streams as recorded: %s', async (name, from, types) => {
    if ((await clerk.find(KEY)) === undefined) await ask(api, { method: 'POST', body: lease() });
    const version = (await clerk.get(KEY)).metadata.resourceVersion ?? '';
    const response = await watch(api, `&timeoutSeconds=2${from === undefined ? '' : `&resourceVersion=${version}`}`);
    await clerk.change(KEY, (it) => Object.assign(it.spec ?? {}, { renewTime: TIME }));
    await clerk.delete(KEY);

    expect((await eventsOf(response)).map((it) => it.type)).toEqual(types);
    const section = RECORDED.slice(RECORDED.indexOf(`## ${name}`))
      .split('\n')
      .slice(1, 1 + types.length);
    expect(section.map((it) => it.trim().split(' ')[0])).toEqual(types);
  });

  test('ends a watch from a version that is too old with an error in a stream that began well', async () => {
    // A real one knows all events since it was started.
    if (api instanceof KubernetesRealApi) await api.restart();
    const response = await watch(api, '&resourceVersion=1');

    expect(response.statusCode).toBe(200);
    const [event, ...others] = await eventsOf(response);
    expect(others).toEqual([]);
    const { reason, code, message } = (event?.object ?? {}) as Record<string, unknown>;
    expect([event?.type, reason, code]).toEqual(['ERROR', 'Expired', 410]);
    expect(message).toMatch(/^too old resource version: 1 \(\d+\)$/);
    expect(RECORDED).toContain('"message":"too old resource version: 1 (372)","reason":"Expired","code":410');
  }, 60_000);

  test('ends a watch by its timeout, without a word', async () => {
    await clerk.delete(KEY);
    await ask(api, { method: 'POST', body: lease() });
    const { resourceVersion } = (await clerk.get(KEY)).metadata;
    const response = await watch(api, `&resourceVersion=${resourceVersion}&timeoutSeconds=1`);

    expect(await eventsOf(response)).toEqual([]);
  });

  // A real one does so in its own time.
  scripted('sends a bookmark to those who allow it', async () => {
    const { leases } = double(api);
    const response = await watch(api, `&resourceVersion=${leases.version}&allowWatchBookmarks=true`);
    double(api).bookmark();
    double(api).endWatches();

    expect((await eventsOf(response)).map((it) => it.type)).toEqual(['BOOKMARK']);
  });
});

/** Of an answer as it was written down: the status and what is in JSON behind it. */
function recorded(name: string): ApiAnswer {
  const line = RECORDED.split('\n').find((it) => it.startsWith(`## ${name} -> `)) ?? '';
  const [, code, json = '{}'] = /-> (\d+) (.*)$/.exec(line) ?? [];
  // The longest one was cut off when it was written down, where it quotes what it was sent.
  const whole = json.endsWith('}') ? json : `${json.split(', error found')[0]}"}`;
  return { code: Number(code), body: JSON.parse(whole) as Record<string, unknown> };
}

/** What has to be the same: all that does not depend on when and where it was recorded. */
function essence({ code, body }: ApiAnswer): object {
  const { reason, message, details } = body as { reason?: string; message?: string; details?: Record<string, unknown> };
  const { uid: _uid, ...known } = details ?? {};
  // The decoder quotes the bytes around the place; a uid is random, the store's root is an option, and a version counts all writes of the cluster.
  const said = message
    ?.split(', error found')[0]
    ?.replace(/meta: .*$/, 'meta')
    .replace(/Key: \/\w+/, 'Key: ')
    .replace(/\(\d+\)/g, '(rv)');
  return { code, ...(reason && { reason, message: said }), ...(details && { details: known }), spec: body['spec'] };
}

async function ask(api: ApiServer, { method, path = '', body, as }: Step): Promise<ApiAnswer> {
  const done = api instanceof KubernetesApi && as !== undefined ? refuse(api, as) : () => undefined;
  const token = as === 'nobody' ? 'of nobody' : '';
  try {
    const step = { method, path: `${COLLECTION}${path}`, ...(body !== undefined && { body }) };
    return await askApi(api.accessBy(), { ...step, ...(as !== undefined && { token }) });
  } finally {
    done();
  }
}

/** The double knows no users: it is told whom to refuse. @returns what undoes it */
function refuse(api: KubernetesApi, whom: 'nobody' | 'anonymous'): () => void {
  if (whom === 'nobody') {
    api.tokens = ['secret'];
  } else {
    api.forbidden.add('get');
    api.user = 'system:anonymous';
  }
  return () => {
    api.tokens = undefined;
    api.forbidden.clear();
  };
}

function double(api: ApiServer): KubernetesApi {
  if (api instanceof KubernetesApi) return api;
  throw new Error('This is no double');
}

function watch(api: ApiServer, query: string) {
  const path = `${COLLECTION}?watch=1&fieldSelector=metadata.name%3Da${query}`;
  return openApi(api.accessBy(), { method: 'GET', path });
}

async function eventsOf(response: IncomingMessage): Promise<{ type: string; object: unknown }[]> {
  const lines = (await textOf(response)).split('\n').filter((it) => it !== '');
  return lines.map((it) => JSON.parse(it) as { type: string; object: unknown });
}
