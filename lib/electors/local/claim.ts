import { rm, type FileHandle } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { ElectionPlace } from './election-place.js';
import { openExclusively } from './exclusive-file.js';

/** More connections are refused: whoever may connect must not be able to use up the files of the leader. */
const MAX_FOLLOWERS = 1024;

export interface ClaimListener {
  /** The address is gone although it was not released. */
  onLost(): void;
  /** Something went wrong that changes nothing. */
  onError(error: unknown): void;
}

/** The address of an election, listened on by this process and nobody else. The kernel says so, until it is released. */
export class Claim {
  readonly #followers = new Set<Socket>();
  #news: string | undefined;
  #released: Promise<void> | undefined;

  private constructor(
    private readonly server: Server,
    private readonly lock: FileHandle | undefined,
    private readonly listener: ClaimListener,
  ) {
    server.on('connection', (socket) => this.#onFollower(socket));
    server.on('error', (error) => this.listener.onError(error));
    server.on('close', () => {
      if (this.#released === undefined) this.listener.onLost();
    });
  }

  /**
   * Takes the address unless somebody has it.
   *
   * @throws what the system says when it is neither free nor taken
   */
  static async take(
    place: ElectionPlace,
    listener: ClaimListener,
    openLock = openExclusively,
  ): Promise<Claim | undefined> {
    if (place.lockFile === undefined) {
      const free = await listenAlone(place.address);
      return free && new Claim(free, undefined, listener);
    }
    const lock = await openLock(place.lockFile);
    if (lock === undefined) return undefined;
    let server: Server | undefined;
    try {
      // Left behind by a process that was killed: whoever has the lock is the only one who may listen.
      await rm(place.address, { force: true });
      server = await listenAlone(place.address);
    } finally {
      if (server === undefined) await lock.close();
    }
    return server && new Claim(server, lock, listener);
  }

  /** Tells all followers which token is led under, also those that come later. */
  announce(token: bigint): void {
    this.#news = `${token}\n`;
    for (const socket of this.#followers) socket.write(this.#news);
  }

  /** Gives the address up, which followers see at once. Idempotent; resolves when nothing is left. Never rejects. */
  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  async #release(): Promise<void> {
    // The address is free when this returns. Connections last: who sees one end tries for the address in that moment.
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    await this.lock?.close().catch((error: unknown) => this.listener.onError(error));
    for (const socket of this.#followers) socket.destroy();
    await closed;
  }

  #onFollower(socket: Socket): void {
    socket.unref();
    socket.on('error', () => undefined);
    this.#followers.add(socket);
    socket.on('close', () => this.#followers.delete(socket));
    // Followers have nothing to say.
    socket.on('data', () => socket.destroy());
    if (this.#news !== undefined) socket.write(this.#news);
  }
}

/** Returns `undefined` when somebody listens there already. */
function listenAlone(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.maxConnections = MAX_FOLLOWERS;
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    // Without `exclusive`, all workers of a cluster would listen on one address, and all lead.
    server.listen({ path: address, exclusive: true }, () => {
      server.removeAllListeners('error');
      resolve(server);
    });
  });
}
