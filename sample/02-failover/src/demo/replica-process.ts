import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ElectorChoice } from '../replica/elector.js';
import type { ReplicaMessage, ReplicaState } from '../replica/message.js';

const MAIN = fileURLToPath(import.meta.resolve('../replica/main.js'));
/** For an orderly stop; what takes longer is killed. */
const STOP_MS = 10_000;

export interface ReplicaListener {
  onState(replica: ReplicaProcess): void;
  onComplaint(replica: ReplicaProcess, text: string): void;
  onExit(replica: ReplicaProcess, how: string): void;
}

/** One replica of the app: a process of its own. */
export class ReplicaProcess {
  readonly #child: ChildProcess;
  #state: ReplicaState | undefined;
  #paused = false;
  #ending = false;
  #ended = false;

  constructor(
    readonly name: string,
    choice: ElectorChoice,
    listener: ReplicaListener,
  ) {
    this.#child = fork(MAIN, [name, JSON.stringify(choice)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.#child.on('message', (message: ReplicaMessage) => {
      if (message.kind === 'complaint') return listener.onComplaint(this, message.text);
      this.#state = message;
      listener.onState(this);
    });
    this.#child.stderr?.on('data', (chunk) => listener.onComplaint(this, String(chunk).trim()));
    this.#child.once('exit', (code, signal) => {
      this.#ended = true;
      listener.onExit(this, signal ?? `code ${code}`);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get state(): ReplicaState | undefined {
    return this.#state;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Whether it was told to end, and has not. */
  get ending(): boolean {
    return this.#ending && !this.#ended;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Whether it leads, as far as it has told. */
  get leads(): boolean {
    return !this.#ended && this.#state?.role === 'leader';
  }

  /** Whether it does the work of the leader. */
  get works(): boolean {
    return this.leads && this.#state?.components.InvoiceRun === 'running';
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#ended) return;
    this.#child.kill(signal);
    if (signal === 'SIGSTOP') this.#paused = true;
    if (signal === 'SIGCONT') this.#paused = false;
    if (signal === 'SIGTERM' || signal === 'SIGKILL') this.#ending = true;
  }

  /** Ends it in order, if it lets itself be ended so. */
  async end(): Promise<void> {
    if (this.#ended) return;
    const exit = once(this.#child, 'exit');
    this.signal('SIGTERM');
    // A paused process acts on a signal when it is continued.
    this.signal('SIGCONT');
    const overdue = new AbortController();
    const kill = sleep(STOP_MS, undefined, { signal: overdue.signal }).then(() => this.signal('SIGKILL'));
    await exit;
    overdue.abort();
    await kill.catch(() => undefined);
  }
}
