/** As much of a message as is used. @publicApi */
export interface NatsMessage {
  readonly data: Uint8Array;
  string(): string;
}

/** As much of a subscription as is used. @publicApi */
export interface NatsSubscription {
  unsubscribe(): void;
}

/**
 * As much of a `NatsConnection` of `@nats-io/transport-node` (3) as is used: what `connect()` resolves to.
 *
 * @publicApi
 */
export interface NatsClient {
  /** Of the server that it is connected to; `undefined` while it is connected to none. */
  readonly info?: { readonly version: string; readonly jetstream?: boolean } | undefined;
  isClosed(): boolean;
  isDraining(): boolean;
  status(): AsyncIterable<{ readonly type: string }>;
  request(subject: string, payload?: string, options?: never): Promise<NatsMessage>;
  publish(subject: string, payload?: string): void;
  subscribe(subject: string, options?: never): NatsSubscription;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const METHODS = ['isClosed', 'isDraining', 'status', 'request', 'publish', 'subscribe', 'flush', 'close'];

export function isNatsClient(client: unknown): client is NatsClient {
  const its = client as Readonly<Record<string, unknown>> | null | undefined;
  return typeof its === 'object' && its !== null && METHODS.every((method) => typeof its[method] === 'function');
}
