import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { KubernetesApi } from '../../fixtures/engines/kubernetes-api.js';

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

interface Answer {
  readonly code: number;
  readonly body: Record<string, unknown>;
}

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

describe('the double of the Lease API', () => {
  let api: KubernetesApi;

  beforeAll(async () => {
    api = await KubernetesApi.start();
  });

  afterAll(() => api.stop());

  test('answers what a real API server has answered, in the same order', async () => {
    let [first, stale] = ['', ''];
    for (const [name, stepOf] of STEPS) {
      const { resourceVersion: rv = '', uid = '' } =
        api.leases.find({ namespace: 'default', name: 'a' })?.metadata ?? {};
      const answer = await ask(api, stepOf({ rv, stale, uid }));
      if (name === 'POST ok') first = (answer.body['metadata'] as { resourceVersion: string }).resourceVersion;
      stale = first;
      if (name !== '') expect([name, essence(answer)]).toEqual([name, essence(recorded(name))]);
    }
    for (const [name] of STEPS) if (name !== '') expect(RECORDED).toContain(`## ${name} ->`);
  });

  test('gives every write a larger version, over deletions too, and none to a write that changes nothing', async () => {
    const names = ['POST ok', 'PUT identical (noop)', 'PUT new renewTime', 'PUT release'];
    const versions = names.map((name) => Number(recorded(name).body['rv']));
    expect(versions).toEqual([511, 511, 512, 513]);
    const { version } = api.leases;
    api.leases.delete({ namespace: 'default', name: 'a' });
    await ask(api, { method: 'POST', body: lease() });
    expect(api.leases.version).toBe(version + 2n);
  });

  test.each([
    ['watch no rv: synthetic ADDED then live', undefined, ['ADDED', 'MODIFIED', 'DELETED']],
    ['watch from rv: only newer', 'now', ['MODIFIED', 'DELETED']],
  ])('streams as recorded: %s', async (name, from, types) => {
    const key = { namespace: 'default', name: 'a' };
    if (api.leases.find(key) === undefined) await ask(api, { method: 'POST', body: lease() });
    const version = api.leases.get(key).metadata.resourceVersion ?? '';
    const response = await watch(api, from === undefined ? '' : `&resourceVersion=${version}`);
    api.leases.change(key, (it) => Object.assign(it.spec ?? {}, { renewTime: TIME }));
    api.leases.delete(key);
    api.endWatches();

    expect((await eventsOf(response)).map((it) => it.type)).toEqual(types);
    const section = RECORDED.slice(RECORDED.indexOf(`## ${name}`))
      .split('\n')
      .slice(1, 1 + types.length);
    expect(section.map((it) => it.trim().split(' ')[0])).toEqual(types);
  });

  test('ends a watch from a version that is too old with an error in a stream that began well', async () => {
    const response = await watch(api, '&resourceVersion=1');

    expect(response.status).toBe(200);
    const [event, ...others] = await eventsOf(response);
    expect(others).toEqual([]);
    const { reason, code, message } = (event?.object ?? {}) as Record<string, unknown>;
    expect([event?.type, reason, code, message]).toEqual([
      'ERROR',
      'Expired',
      410,
      `too old resource version: 1 (${api.leases.oldest})`,
    ]);
    expect(RECORDED).toContain('"message":"too old resource version: 1 (372)","reason":"Expired","code":410');
  });

  test('ends a watch by its timeout, without a word', async () => {
    const response = await watch(api, `&resourceVersion=${api.leases.version}&timeoutSeconds=1`);

    expect(await eventsOf(response)).toEqual([]);
  });

  test('sends a bookmark to those who allow it', async () => {
    const response = await watch(api, `&resourceVersion=${api.leases.version}&allowWatchBookmarks=true`);
    api.bookmark();
    api.endWatches();

    expect((await eventsOf(response)).map((it) => it.type)).toEqual(['BOOKMARK']);
  });
});

/** Of an answer as it was written down: the status and what is in JSON behind it. */
function recorded(name: string): Answer {
  const line = RECORDED.split('\n').find((it) => it.startsWith(`## ${name} -> `)) ?? '';
  const [, code, json = '{}'] = /-> (\d+) (.*)$/.exec(line) ?? [];
  // The longest one was cut off when it was written down, where it quotes what it was sent.
  const whole = json.endsWith('}') ? json : `${json.split(', error found')[0]}"}`;
  return { code: Number(code), body: JSON.parse(whole) as Record<string, unknown> };
}

/** What has to be the same: all that does not depend on when and where it was recorded. */
function essence({ code, body }: Answer): object {
  const { reason, message, details } = body as { reason?: string; message?: string; details?: Record<string, unknown> };
  const { uid: _uid, ...known } = details ?? {};
  // The decoder quotes the bytes around the place; a uid is random, and a version counts all writes of the cluster.
  const said = message
    ?.split(', error found')[0]
    ?.replace(/meta: .*$/, 'meta')
    .replace(/\(\d+\)/g, '(rv)');
  return { code, ...(reason && { reason, message: said }), ...(details && { details: known }), spec: body['spec'] };
}

async function ask(api: KubernetesApi, { method, path = '', body, as }: Step): Promise<Answer> {
  if (as === 'nobody') api.tokens = ['secret'];
  if (as === 'anonymous') api.forbidden.add('get');
  api.user = as === 'anonymous' ? 'system:anonymous' : api.user;
  const response = await fetch(`${api.url}${COLLECTION}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  api.tokens = undefined;
  api.forbidden.clear();
  return { code: response.status, body: (await response.json()) as Record<string, unknown> };
}

function watch(api: KubernetesApi, query: string): Promise<Response> {
  return fetch(`${api.url}${COLLECTION}?watch=1&fieldSelector=metadata.name%3Da${query}`);
}

async function eventsOf(response: Response): Promise<{ type: string; object: unknown }[]> {
  const lines = (await response.text()).split('\n').filter((it) => it !== '');
  return lines.map((it) => JSON.parse(it) as { type: string; object: unknown });
}
