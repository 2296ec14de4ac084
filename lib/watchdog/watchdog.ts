import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { errorFields } from '../core/error-fields.js';
import { errorText } from '../core/error-text.js';
import { guarded, type LifecycleLogger } from '../core/logger.js';
import { WATCHDOG_THREAD } from './watchdog-thread.js';

/**
 * From the deadline of a term until the process is killed, and as much again when the loop turned once more in between. A
 * lease has its stop budget and a margin of at least 250 ms left then: with the default times, or the fast ones, nobody
 * else leads before the process is gone.
 */
const GRACE_MS = 250;

/** Places in what both threads see. */
const DEADLINE = 0;
const SIGNS = 1;

const MESSAGE =
  'nestjs-lifecycle: the main thread is blocked past the deadline of its leadership and could go on to write when it is ' +
  'not the leader any more. The watchdog kills the process (SIGKILL).\n';

/**
 * A thread that kills the process when the main thread lets a deadline pass and its event loop does not turn. A blocked
 * loop cannot end its own term, and what it does when it goes on it may do beside another leader. A loop that turns ends
 * the term by itself, and is left alone.
 */
export class Watchdog {
  /** What both threads see. */
  readonly #shared = new BigInt64Array(new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT));
  /** In nanoseconds, by whom they are of. */
  readonly #deadlines = new Map<object, bigint>();
  #thread: Worker | undefined;
  #closed = false;

  constructor(private readonly logger: LifecycleLogger) {}

  /** Within that many milliseconds this or `acknowledge()` is called again for the owner, or the event loop had better turn. */
  expect(owner: object, withinMs: number): void {
    if (this.#closed) return;
    this.#deadlines.set(owner, process.hrtime.bigint() + BigInt(Math.max(0, Math.round(withinMs * 1e6))));
    this.#thread ??= this.#start();
    this.#tell();
  }

  /** Nothing is expected of this owner any more. Idempotent. */
  acknowledge(owner: object): void {
    this.#deadlines.delete(owner);
    this.#tell();
  }

  /** Ends the thread. Idempotent; nothing is watched after it. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#deadlines.clear();
    this.#tell();
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  #tell(): void {
    Atomics.store(this.#shared, DEADLINE, this.#earliest());
    Atomics.notify(this.#shared, DEADLINE);
    this.#giveSign();
  }

  #giveSign(): void {
    Atomics.add(this.#shared, SIGNS, 1n);
    Atomics.notify(this.#shared, SIGNS);
  }

  #earliest(): bigint {
    // At a breakpoint the main thread is blocked for as long as somebody thinks.
    if (inspector.url() !== undefined) return 0n;
    let earliest = 0n;
    for (const deadline of this.#deadlines.values()) if (earliest === 0n || deadline < earliest) earliest = deadline;
    return earliest;
  }

  #start(): Worker {
    const workerData = { shared: this.#shared, graceMs: GRACE_MS, message: MESSAGE };
    // Flags and environment are for the app: a preloaded agent has nothing to do in this thread.
    const thread = new Worker(WATCHDOG_THREAD, { eval: true, workerData, execArgv: [], env: {}, name: 'watchdog' });
    thread.on('message', () => this.#giveSign());
    thread.on('error', (error) => {
      const message = `The watchdog does not run: ${errorText(error)}`;
      guarded(this.logger).error({ message, event: 'lifecycle.watchdog.failed', error: errorFields(error) });
    });
    thread.unref();
    return thread;
  }
}
