import { Script } from 'node:vm';
import { createHash } from 'node:crypto';
import { NotRestartableError, UnknownComponentError } from '../../../lib/core/errors.js';
import { StatusFixture } from './status-fixture.js';

it('serves a page whose policy allows its own script and style, and nothing else', async () => {
  const { status, headers, body } = await new StatusFixture().whole('');
  expect(status).toBe(200);
  const policy = headers['Content-Security-Policy'] ?? '';
  const hash = (tag: string) => {
    const text = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(body)?.[1] ?? '';
    return createHash('sha256').update(text).digest('base64');
  };
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src 'sha256-${hash('script')}'`,
    `style-src 'sha256-${hash('style')}'`,
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]);
  expect(headers).toMatchObject({
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store, no-transform',
  });
});

it('makes no markup of text: the script knows no way to', async () => {
  const { body } = await new StatusFixture().whole('');
  const script = /<script>([^]*)<\/script>/.exec(body)?.[1] ?? '';
  expect(() => new Script(script)).not.toThrow();
  expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|new Function|DOMParser/);
  expect(body).not.toMatch(/\b(?:src|href)="(?!data:)/);
  expect(body).not.toMatch(/ style=| on\w+=/);
});

it.each(['POST', 'PUT', 'DELETE'])('answers %s to what can only be read with 405', async (method) => {
  for (const path of ['', 'status', 'events']) {
    expect(await new StatusFixture().attach().whole(path, { method })).toMatchObject({ status: 405 });
  }
});

it.each(['nothing', 'status/', '../status', 'actions/restart', '__proto__'])('answers 404 to %j', async (path) => {
  expect((await new StatusFixture().attach().whole(path, { method: 'POST' })).status).toBe(404);
});

it('has no status before the app is there', async () => {
  expect((await new StatusFixture().whole('status')).status).toBe(503);
  expect((await new StatusFixture().whole('events')).status).toBe(503);
});

describe('actions', () => {
  const open = () => new StatusFixture({ actions: true }).attach();

  it('steps down from an election that this replica leads', async () => {
    const fixture = open();
    fixture.elections.push({ election: 'default', leading: true }, { election: 'other', leading: false });
    expect((await fixture.act('step-down', { election: 'default' })).status).toBe(202);
    expect(fixture.steppedDown).toEqual(['default 5000']);
    expect((await fixture.act('step-down', { election: 'other' })).status).toBe(409);
    expect((await fixture.act('step-down', { election: 'none' })).status).toBe(404);
    expect(fixture.log).toEqual(['Stepping down from the election "default": asked for on the status page']);
  });

  it('restarts a component, or says why not', async () => {
    const fixture = open();
    expect((await fixture.act('restart', '{"component":"feed"}')).status).toBe(202);
    expect(fixture.restarted).toEqual(['feed']);
    fixture.restart = (name) => {
      throw new NotRestartableError(name, 'it is stopped');
    };
    expect(await fixture.act('restart', { component: 'feed' })).toMatchObject({
      status: 409,
      body: expect.stringContaining('it is stopped'),
    });
    fixture.restart = (name) => {
      throw new UnknownComponentError(name, ['secret']);
    };
    const unknown = await fixture.act('restart', { component: 'x\nforged log line' });
    expect(unknown).toMatchObject({ status: 404, body: expect.not.stringContaining('secret') });
    expect(fixture.log).toHaveLength(1);
  });

  it.each([undefined, null, '', '{', 'null', [], {}, { component: 5 }, '{"__proto__":{"component":"feed"}}'])(
    'answers 400 to the body %j',
    async (body) => {
      const fixture = open();
      expect((await fixture.act('restart', body)).status).toBe(400);
      expect(fixture.restarted).toEqual([]);
    },
  );

  const own = { 'x-lifecycle-action': '1', host: 'app.example' };

  it.each<[string, Record<string, string>]>([
    ['no header of its own', { host: 'app.example' }],
    ['a page of another site', { ...own, 'sec-fetch-site': 'cross-site' }],
    ['a page of another subdomain', { ...own, 'sec-fetch-site': 'same-site', origin: 'https://app.example' }],
    ['another origin, from a browser that says no more', { ...own, origin: 'http://evil.example' }],
    ['another port', { ...own, origin: 'http://app.example:81' }],
    ['a sandboxed frame', { ...own, origin: 'null' }],
  ])('refuses a request with %s', async (_, headers) => {
    const fixture = open();
    expect((await fixture.act('restart', { component: 'feed' }, headers)).status).toBe(403);
    expect(fixture.restarted).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['a program', own],
    ['the page itself', { ...own, 'sec-fetch-site': 'same-origin', origin: 'https://public.example' }],
    ['the page itself over plain HTTP', { ...own, origin: 'http://app.example' }],
  ])('takes a request of %s', async (_, headers) => {
    expect((await open().act('restart', { component: 'feed' }, headers)).status).toBe(202);
  });

  it('answers only to POST, and to nothing it does not know', async () => {
    expect((await open().whole('actions/restart')).status).toBe(405);
    expect((await open().act('shutdown', {})).status).toBe(404);
  });

  it('answers 500 without details when something unforeseen happens', async () => {
    const fixture = open();
    fixture.restart = () => {
      throw new Error('secret');
    };
    expect(await fixture.act('restart', { component: 'feed' })).toMatchObject({
      status: 500,
      body: '{"statusCode":500,"message":"Internal server error"}',
    });
    expect(fixture.log).toEqual(['Status page: secret']);
  });
});
