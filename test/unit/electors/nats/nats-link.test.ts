import { describe, expect, test } from '@jest/globals';
import type { NatsClient } from '../../../../lib/electors/nats/nats-client.js';
import { NatsLink } from '../../../../lib/electors/nats/nats-link.js';

type Event = { readonly type: string; readonly error?: unknown };

/** A connection whose events and answers the test gives. */
class FakeClient {
  readonly sent: string[] = [];
  info: { version: string } | undefined = { version: '2.10.0' };
  isOver = false;
  #push: (event: Event) => void = () => undefined;
  readonly #queue: Event[] = [];

  tell(event: Event): void {
    this.#queue.push(event);
    this.#push(event);
  }

  isClosed = () => this.isOver;
  isDraining = () => false;
  flush = () => new Promise<void>(() => undefined);
  close = () => Promise.resolve();

  async *status(): AsyncIterable<Event> {
    for (;;) {
      if (this.#queue.length === 0) await new Promise<Event>((resolve) => (this.#push = resolve));
      const next = this.#queue.shift();
      if (next !== undefined) yield next;
    }
  }

  request(subject: string): Promise<never> {
    this.sent.push(subject);
    return new Promise(() => undefined);
  }

  publish(subject: string): void {
    this.sent.push(subject);
  }
}

const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};
const open = (isOwn = true) => {
  const client = new FakeClient();
  return { client, link: new NatsLink(client as unknown as NatsClient, isOwn, 1000) };
};
const request = (link: NatsLink, subject: string, signal = new AbortController().signal) => {
  const outcome: { error?: unknown } = {};
  link.request({ subject, payload: '' }, signal).catch((error: unknown) => (outcome.error = error));
  return outcome;
};

describe('NatsLink', () => {
  test('sends nothing while it is disconnected, and what still waits once it is connected', async () => {
    const { client, link } = open();
    client.info = undefined;
    client.tell({ type: 'disconnect' });
    const given = new AbortController();
    const gone = request(link, 'given up', given.signal);
    request(link, 'waits');
    link.publish('dropped', '');
    await settled();

    given.abort(new Error('too late'));
    client.info = { version: '2.10.0' };
    // It is told who the server is before it is let in: what it were given now it would keep.
    await settled();
    expect(client.sent).toEqual([]);

    client.tell({ type: 'reconnect' });
    await settled();
    expect(client.sent).toEqual(['waits']);
    expect(gone.error).toBe(given.signal.reason);
  });

  test('sends nothing when the client knows of no server any more, before that is told', async () => {
    const { client, link } = open();
    client.info = undefined;

    request(link, 'kept by the client');
    await settled();

    expect(client.sent).toEqual([]);
  });

  test('sends nothing on a connection that was given before it is known to be connected', async () => {
    const { client, link } = open(false);

    request(link, 'first');
    await settled();
    expect(client.sent).toEqual([]);

    client.tell({ type: 'reconnect' });
    await settled();
    expect(client.sent).toEqual(['first']);
  });

  test('gives a request up when the connection is lost, and one that waits when credentials are refused', async () => {
    const { client, link } = open();
    const lost = request(link, 'lost');
    await settled();
    client.tell({ type: 'disconnect' });
    await settled();
    expect(String(lost.error)).toMatch(/connection to NATS was lost/);

    const refused = request(link, 'waits');
    await settled();
    const error = new Error('Authorization Violation');
    client.tell({ type: 'error', error });
    await settled();
    expect(refused.error).toBe(error);
  });

  test('sends nothing for a signal that was aborted, and says when it is closed', async () => {
    const { client, link } = open();
    const aborted = request(link, 'aborted', AbortSignal.abort(new Error('over')));
    client.isOver = true;
    const closed = request(link, 'closed');
    await settled();

    expect(client.sent).toEqual([]);
    expect(String(aborted.error)).toMatch(/over/);
    expect(String(closed.error)).toMatch(/is closed/);
  });
});
