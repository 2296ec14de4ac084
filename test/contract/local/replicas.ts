import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from '../../fixtures/until.js';

export interface ReplicaOptions {
  readonly namespace: string;
  readonly directory: string;
  /** @default 1 */
  readonly candidates?: number;
  /** Workers of a `node:cluster`, instead of one process. */
  readonly workers?: number;
  /** Does nothing but campaign, and has nothing else that keeps it alive once it has read a line. */
  readonly idle?: boolean;
}

export interface ReplicaEvent {
  readonly kind: 'elected' | 'settled' | 'observed' | 'error' | 'refusal' | 'over';
  readonly pid: number;
  /** On the clock of the host. */
  readonly atMs: number;
  readonly identity?: string;
  readonly token?: string;
  readonly leader?: string;
  readonly message?: string;
}

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Processes that compete in one election of their own. */
export class Replicas {
  readonly events: ReplicaEvent[] = [];
  readonly namespace = `replicas-${process.pid}-${Date.now().toString(36)}`;
  readonly directory = mkdtempSync(join(tmpdir(), 'local-replicas-'));
  readonly #children = new Set<ChildProcess>();

  run(options: Omit<ReplicaOptions, 'namespace' | 'directory'> = {}): ChildProcess {
    const { namespace, directory } = this;
    const child = spawn(
      process.execPath,
      [
        '--import',
        path('../../fixtures/typescript.mjs'),
        path('./replica.ts'),
        JSON.stringify({ ...options, namespace, directory }),
      ],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    this.#children.add(child);
    createInterface({ input: child.stdout }).on('line', (line) => this.events.push(JSON.parse(line) as ReplicaEvent));
    return child;
  }

  get terms(): readonly ReplicaEvent[] {
    return this.events.filter((it) => it.kind === 'elected');
  }

  get leader(): ReplicaEvent | undefined {
    return this.terms.at(-1);
  }

  /** Waits for that many terms in all. */
  async term(count: number): Promise<ReplicaEvent> {
    await until(() => this.terms.length >= count);
    return this.terms[count - 1] as ReplicaEvent;
  }

  async kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    process.kill(pid, signal);
    if (signal === 'SIGKILL') await until(() => !isAlive(pid));
  }

  async close(): Promise<void> {
    const ends = [...this.#children].filter(isRunning).map((it) => once(it, 'exit'));
    for (const pid of new Set(this.events.map((it) => it.pid))) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    for (const child of this.#children) child.kill('SIGKILL');
    await Promise.all(ends);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const isRunning = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
