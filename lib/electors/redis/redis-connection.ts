import type { OnMessage } from './channel-listeners.js';

/** What is there to be told about a client that somebody else made. */
export interface ClientHabits {
  /** It keeps commands while there is no connection, and sends them later. */
  readonly queuesOffline: boolean;
}

/** A connection to Redis, whichever client it is of. Nothing is sent on it while it is down, or after a signal aborted. */
export interface RedisConnection {
  /** Another number, another connection. */
  readonly epoch: number;
  readonly habits: ClientHabits;
  /** Resolves when commands can be written at once. @throws what keeps it from connecting; the signal's reason */
  untilReady(signal: AbortSignal): Promise<void>;
  evaluate(script: string, keys: readonly string[], parts: readonly string[], signal: AbortSignal): Promise<unknown>;
  command(parts: readonly [string, ...string[]], signal: AbortSignal): Promise<unknown>;
  /**
   * @param onLost the subscription is gone, with the connection
   * @returns what ends the subscription
   */
  subscribe(
    channel: string,
    onMessage: OnMessage,
    onLost: (error: unknown) => void,
    signal: AbortSignal,
  ): Promise<() => void>;
  /** Stops listening to the client, and ends it if it is our own. */
  close(): Promise<void>;
}
