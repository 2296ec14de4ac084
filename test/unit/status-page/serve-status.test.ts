import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StatusFixture } from './status-fixture.js';

const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((it) => new Promise((resolve) => void it.close(resolve))));
});

/** Mounts the page as a server without a framework does. */
async function serve(fixture: StatusFixture): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const handler = fixture.page.handler();
  const server = createServer((request, response) => void handler.handle(request, response));
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return (path, init = {}) =>
    fetch(`http://127.0.0.1:${port}/lifecycle${path}`, {
      ...init,
      headers: { connection: 'close', ...(init.headers as Record<string, string>) },
    });
}

it('serves page and JSON on a server of Node itself, with or without a slash or a query', async () => {
  const ask = await serve(new StatusFixture().attach());
  for (const path of ['', '/', '?a=b', '/?a=b']) expect(await (await ask(path)).text()).toMatch(/^<!doctype html>/);
  expect(await (await ask('/status?x')).json()).toMatchObject({ identity: 'me' });
  expect((await ask('/nothing')).status).toBe(404);
});

it('says which path it wants, whose it is, and who guards it', () => {
  expect(new StatusFixture().page.handler()).toMatchObject({ path: 'lifecycle', owner: 'the status page', guards: [] });
});

it('answers HEAD without a body, and opens no stream for it', async () => {
  const ask = await serve(new StatusFixture().attach());
  for (const path of ['', '/status', '/events']) {
    const answer = await ask(path, { method: 'HEAD' });
    expect({ status: answer.status, body: await answer.text() }).toEqual({ status: 200, body: '' });
  }
});

const post = (body: string) => ({ method: 'POST', body, headers: { 'x-lifecycle-action': '1' } });

it('reads the body of an action that nobody has read, up to 64 kB', async () => {
  const fixture = new StatusFixture({ actions: true }).attach();
  const ask = await serve(fixture);
  expect((await ask('/actions/restart', post('{"component":"feed"}'))).status).toBe(202);
  expect(fixture.restarted).toEqual(['feed']);
  const long = JSON.stringify({ component: 'feed', rest: 'x'.repeat(64 * 1024) });
  expect((await ask('/actions/restart', post(long))).status).toBe(400);
});

it('streams until the app has stopped', async () => {
  const fixture = new StatusFixture().attach();
  const response = await (await serve(fixture))('/events');
  const text = response.text();
  await fixture.page.observer.detach?.();
  expect(await text).toMatch(/^retry: 2000\n\nevent: status\n[^]*event: end\ndata: \{\}\n\n$/);
});
