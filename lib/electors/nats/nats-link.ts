import { onAbort } from '../../core/abort.js';
import { errorText } from '../../core/error-text.js';
import type { NatsClient, NatsMessage } from './nats-client.js';
import type { NatsHeaders } from './own-connection.js';

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface NatsRequest {
  readonly subject: string;
  readonly payload: string;
  readonly headers?: NatsHeaders;
}

/** Told to a subscription: a message, or why there are none any more. */
export type OnMessage = (error: unknown, message: NatsMessage | undefined) => void;

/**
 * A connection to NATS that sends nothing late. The client keeps what it is given while it connects, and sends it when it
 * has: up to a request's time after it was given up, or more. So nothing is given to it before it is connected.
 */
export class NatsLink {
  readonly #events: AsyncIterable<{ readonly type: string }>;
  readonly #waiting = new Set<Waiter>();
  /** Requests and subscriptions that end with the connection. */
  readonly #underWay = new Set<(error: unknown) => void>();
  /** By what the client has told. */
  #isUp: boolean;

  /** @param isOwn it is connected, and is ended with `close()`. Of one that was given nobody has said if it is connected. */
  constructor(
    readonly client: NatsClient,
    private readonly isOwn: boolean,
    private readonly requestTimeoutMs: number,
  ) {
    this.#isUp = isOwn;
    this.#events = client.status();
    void this.#listen();
    // Answered on a connection that is there; when that is lost meanwhile, its next one is told by an event.
    if (!isOwn && !client.isClosed())
      client.flush().then(
        () => this.#onUp(),
        () => undefined,
      );
  }

  get isClosed(): boolean {
    return this.client.isClosed() || this.client.isDraining();
  }

  /** What was sent before a connection was lost is forgotten by the client; `info` is too, from the next attempt on. */
  get #canSend(): boolean {
    return this.#isUp && this.client.info !== undefined && !this.isClosed;
  }

  /** Sends once there is a connection, unless the signal has aborted; rejects when that is lost before the answer. */
  async request({ subject, payload, headers }: NatsRequest, signal: AbortSignal): Promise<NatsMessage> {
    await this.untilUp(signal);
    const options = { timeout: Math.ceil(this.requestTimeoutMs), ...(headers !== undefined && { headers }) };
    return this.#whileUp(signal, () => this.client.request(subject, payload, options as never));
  }

  /** To whoever listens now. Dropped while there is no connection. */
  publish(subject: string, payload: string): void {
    if (this.#canSend) this.client.publish(subject, payload);
  }

  /**
   * @param onMessage called with an error at most once, and with nothing after that
   * @returns what ends it, once the server has it
   */
  async subscribe(subject: string, onMessage: OnMessage, signal: AbortSignal): Promise<() => void> {
    await this.untilUp(signal);
    const subscription = this.client.subscribe(subject, { callback: onMessage } as never);
    const lost = (error: unknown) => onMessage(error, undefined);
    this.#underWay.add(lost);
    const end = () => {
      this.#underWay.delete(lost);
      if (!this.client.isClosed()) subscription.unsubscribe();
    };
    try {
      await this.#whileUp(signal, () => this.client.flush());
      return end;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Resolves when something can be sent at once. @throws the signal's reason; that the connection is closed */
  async untilUp(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    while (!this.#canSend) {
      if (this.isClosed) throw new Error('The connection to NATS is closed.');
      await this.#nextChange(signal);
      signal.throwIfAborted();
    }
  }

  /** Stops listening to the client, and ends it if it is our own. */
  async close(): Promise<void> {
    this.#onDown(new Error('The elector was closed.'));
    if (this.isOwn) await this.client.close();
    else (this.#events as { stop?: () => void }).stop?.();
  }

  /** @throws the signal's reason, or that the connection was lost, as soon as it is; an answer that comes later is dropped */
  #whileUp<T>(signal: AbortSignal, send: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const lost = (error: unknown) => finish(() => reject(error));
      const finish = (settle: () => void) => {
        this.#underWay.delete(lost);
        unlisten();
        settle();
      };
      this.#underWay.add(lost);
      const unlisten = onAbort(signal, () => lost(signal.reason));
      send().then(
        (answer) => finish(() => resolve(answer)),
        (error: unknown) => finish(() => reject(error)),
      );
    });
  }

  #nextChange(signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        resolve: () => finish(resolve),
        reject: (error) => finish(() => reject(error)),
      };
      const finish = (settle: () => void) => {
        this.#waiting.delete(waiter);
        unlisten();
        settle();
      };
      this.#waiting.add(waiter);
      const unlisten = onAbort(signal, () => waiter.reject(signal.reason));
    });
  }

  async #listen(): Promise<void> {
    try {
      for await (const event of this.#events) this.#onEvent(event);
    } catch (error) {
      this.#onDown(error);
    }
  }

  #onEvent(event: { readonly type: string; readonly error?: unknown }): void {
    switch (event.type) {
      case 'reconnect':
        this.#onUp();
        break;
      case 'disconnect':
        this.#onDown(new Error('The connection to NATS was lost.'));
        break;
      case 'close':
        this.#onDown(new Error('The connection to NATS is closed.'));
        for (const { reject } of [...this.#waiting]) reject(new Error('The connection to NATS is closed.'));
        break;
      case 'error':
        // Wrong credentials, for example; of a connection that is up they are about one request.
        if (!this.#isUp)
          for (const { reject } of [...this.#waiting]) reject(event.error ?? new Error(errorText(event)));
        break;
    }
  }

  #onUp(): void {
    this.#isUp = true;
    for (const { resolve } of [...this.#waiting]) resolve();
  }

  #onDown(error: unknown): void {
    this.#isUp = false;
    for (const lost of [...this.#underWay]) lost(error);
  }
}
