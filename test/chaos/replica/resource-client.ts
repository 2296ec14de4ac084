import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onLines } from '../line-stream.js';
import type { Effect, EffectAnswer } from '../harness/fenced-resource.js';

/** One process's way to the fenced resource. */
export class ResourceClient {
  readonly #waiting = new Map<number, (taken: boolean) => void>();
  #count = 0;

  private constructor(
    private readonly socket: Socket,
    private readonly who: string,
  ) {
    onLines(socket, (line) => {
      const { n, taken } = JSON.parse(line) as EffectAnswer;
      this.#waiting.get(n)?.(taken);
      this.#waiting.delete(n);
    });
    // Without the harness nobody would stop this process.
    socket.on('error', () => process.exit(98));
  }

  static async open(path: string, who: string): Promise<ResourceClient> {
    const socket = connect(path);
    await once(socket, 'connect');
    return new ResourceClient(socket, who);
  }

  /** @returns whether the resource has taken it; it refuses what comes under an older token than the last one */
  apply(effect: Omit<Effect, 'n' | 'who'>): Promise<boolean> {
    const n = ++this.#count;
    return new Promise((resolve) => {
      this.#waiting.set(n, resolve);
      this.socket.write(`${JSON.stringify({ ...effect, n, who: this.who } satisfies Effect)}\n`);
    });
  }

  close(): void {
    this.socket.end();
  }
}
