import { connect, type Socket } from 'node:net';

/** A token has at most 19 digits. */
const NEWS = /^(\d{1,19})\n$/;
const LONGEST_NEWS = 20;

/**
 * A connection to whoever holds the address. The kernel ends it in the moment in which the holder goes, however it goes.
 * What the holder says is a hint, and whatever it says changes nothing else.
 */
export class HolderWatch {
  readonly #socket: Socket;
  #said = '';
  #open = true;

  /** @param onNews called once: with the token that the holder leads under, or `undefined` if it talks nonsense */
  constructor(
    address: string,
    private readonly onNews: (token: bigint | undefined) => void,
    private readonly onEnded: () => void,
  ) {
    this.#socket = connect({ path: address });
    this.#socket.unref();
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (chunk: string) => this.#onData(chunk));
    // It is followed by `close`, which says all there is to know.
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => this.#end());
  }

  get open(): boolean {
    return this.#open;
  }

  /** Idempotent. `onEnded` is not called after it. */
  close(): void {
    this.#open = false;
    this.#socket.destroy();
  }

  #end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.onEnded();
  }

  #onData(chunk: string): void {
    if (!this.#open) return;
    this.#said += chunk.slice(0, LONGEST_NEWS + 1);
    if (this.#said.length <= LONGEST_NEWS && !this.#said.endsWith('\n')) return;
    const token = NEWS.exec(this.#said)?.[1];
    if (token !== undefined) return this.onNews(BigInt(token));
    this.onNews(undefined);
    // It could go on for ever.
    this.#socket.destroy();
  }
}
