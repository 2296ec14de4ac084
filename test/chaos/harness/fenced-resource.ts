import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Journal } from '../journal.js';
import { onLines } from '../line-stream.js';
import { now, type HarnessRecord, type Time } from '../records.js';

export interface Effect {
  /** Counted by the sender. */
  readonly n: number;
  readonly who: string;
  readonly e: string;
  readonly token: string;
  /** When it began: before the term was found to be valid. */
  readonly begun: Time;
}

export interface EffectAnswer {
  readonly n: number;
  readonly taken: boolean;
}

/** Who had the last effect in an election. */
export interface LastEffect {
  readonly who: string;
  readonly token: bigint;
  readonly begun: bigint;
  readonly takenAt: bigint;
}

/** What leaders work on: takes effects in the order in which they arrive, and refuses those under an older token. */
export class FencedResource {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #last = new Map<string, LastEffect>();
  readonly #owners = new Map<string, Set<string>>();
  #count = 0;

  private constructor(private readonly journal: Journal<HarnessRecord>) {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async open(path: string, journal: Journal<HarnessRecord>): Promise<FencedResource> {
    const resource = new FencedResource(journal);
    resource.#server.listen(path);
    await once(resource.#server, 'listening');
    return resource;
  }

  /** Effects taken. */
  get count(): number {
    return this.#count;
  }

  last(election: string): LastEffect | undefined {
    return this.#last.get(election);
  }

  /** All whose effects it has taken. */
  owners(election: string): string[] {
    return [...(this.#owners.get(election) ?? [])];
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // A replica that was killed.
    socket.on('error', () => undefined);
    onLines(socket, (line) => {
      const effect = JSON.parse(line) as Effect;
      const answer: EffectAnswer = { n: effect.n, taken: this.#take(effect) };
      socket.write(`${JSON.stringify(answer)}\n`);
    });
  }

  #take({ who, e, token: text, begun }: Effect): boolean {
    const token = BigInt(text);
    const last = this.#last.get(e);
    if (last !== undefined && token < last.token) {
      this.journal.write({ k: 'refused', e, token: text, who, begun });
      return false;
    }
    this.#count++;
    if (last?.token !== token || last.who !== who) {
      this.journal.write({ k: 'taken', e, token: text, who });
      this.#owners.set(e, (this.#owners.get(e) ?? new Set()).add(who));
    }
    this.#last.set(e, { who, token, begun: BigInt(begun), takenAt: BigInt(now()) });
    return true;
  }
}
