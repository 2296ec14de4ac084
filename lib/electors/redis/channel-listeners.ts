import type { ClientEvents } from './redis-client.js';

/** Called with a message: a text, or whatever the client makes of one. */
export type OnMessage = (message: unknown) => void;

/** Who listens to which channel of a client that tells all messages by one event: one listener on it for all channels. */
export class ChannelListeners {
  readonly #byChannel = new Map<string, Set<OnMessage>>();
  readonly #onMessage = (channel: unknown, message: unknown): void => {
    for (const listener of [...(this.#byChannel.get(String(channel)) ?? [])]) listener(message);
  };

  constructor(private readonly client: ClientEvents) {}

  /**
   * Calls `onMessage` for every message of that channel.
   *
   * @returns what ends that, and tells whether nobody listens to the channel any more
   */
  listen(channel: string, onMessage: OnMessage): () => boolean {
    if (this.#byChannel.size === 0) this.client.on('message', this.#onMessage);
    const listeners: Set<OnMessage> = this.#byChannel.get(channel) ?? new Set();
    const listener: OnMessage = (message) => onMessage(message);
    this.#byChannel.set(channel, listeners.add(listener));
    return () => this.#unlisten(channel, listener);
  }

  /** Stops listening to the client. */
  detach(): void {
    this.client.off('message', this.#onMessage);
  }

  #unlisten(channel: string, listener: OnMessage): boolean {
    const listeners = this.#byChannel.get(channel);
    if (listeners?.delete(listener) !== true || listeners.size > 0) return false;
    this.#byChannel.delete(channel);
    if (this.#byChannel.size === 0) this.client.off('message', this.#onMessage);
    return true;
  }
}
