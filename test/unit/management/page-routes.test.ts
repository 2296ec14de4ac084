import { jest } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { InvalidOptionError } from '../../../lib/core/errors.js';
import type { ObserverPage } from '../../../lib/core/lifecycle-observer.js';
import { pageRoutes } from '../../../lib/management/page-routes.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

type Render = ObserverPage['render'];

/** Keeps what is sent. */
class Response {
  headersSent = false;
  destroyed = false;
  status: number | undefined;
  body: string | undefined;

  writeHead(status: number): void {
    this.headersSent = true;
    this.status = status;
  }

  end(body: string): void {
    this.body = body;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

function setUp(render: Render, { path = 'metrics', isAttached = (): boolean => true } = {}) {
  const clock = new ManualClock();
  const [route] = pageRoutes({ observers: [{}, { pages: [{ path, render }] }], isAttached, clock });
  const response = new Response();
  const serve = (method = 'GET') => route?.serve({ method } as IncomingMessage, response as unknown as ServerResponse);
  return { clock, route, response, serve };
}

const rendered: Render = async () => ({ contentType: 'text/plain', body: 'up 1' });

it('serves what the page renders', async () => {
  const { response, serve } = setUp(rendered);
  await serve();
  expect(response).toMatchObject({ status: 200, body: 'up 1' });
});

it('renders nothing before the observers know their app', async () => {
  const render = jest.fn(rendered);
  const { response, serve } = setUp(render, { isAttached: () => false });
  await serve();
  expect(response.status).toBe(503);
  expect(render).not.toHaveBeenCalled();
});

it('renders nothing for a method that is not allowed', async () => {
  const render = jest.fn(rendered);
  const { response, serve } = setUp(render);
  await serve('POST');
  expect(response.status).toBe(405);
  expect(render).not.toHaveBeenCalled();
});

it('gives a page up that takes too long', async () => {
  const { clock, response, serve } = setUp(() => new Promise(() => undefined));
  const serving = expect(serve()).rejects.toThrow('not rendered within 10000 ms');
  await clock.advance(10_000);
  await serving;
  expect(response.headersSent).toBe(false);
});

it.each<[string, Render]>([
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
  ['renders no text', async () => ({ contentType: 'text/plain', body: undefined as unknown as string })],
  ['renders nothing', async () => undefined as never],
])('rejects, before anything is sent, when the page %s', async (_, render) => {
  const { response, serve } = setUp(render);
  await expect(serve()).rejects.toThrow();
  expect(response.headersSent).toBe(false);
});

it.each(['', '/', 'a/../b', 'a?b', ':id', null, 5])('refuses %j as a path', (path) => {
  const observers = [{ pages: [{ path: path as string, render: rendered }] }];
  const parts = { observers, isAttached: () => true, clock: new ManualClock() };
  expect(() => pageRoutes(parts)).toThrow(InvalidOptionError);
  expect(() => pageRoutes(parts)).toThrow('as the path of a page of observer Object');
});
