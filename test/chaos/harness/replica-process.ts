import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Journal } from '../journal.js';
import { now, processName, type HarnessRecord } from '../records.js';
import { SETTINGS_VARIABLE, type ReplicaCommand, type ReplicaSettings } from '../replica/replica-settings.js';
import { EXIT_WITHIN_MS } from '../timing.js';

/** Compiled, as this file is when it runs. */
const REPLICA = fileURLToPath(new URL('../replica/replica.js', import.meta.url));
const READY_WITHIN_MS = 60_000;
const REPORT_WITHIN_MS = 2000;

export type SettingsOf = (slot: number, who: string) => ReplicaSettings;

/** One process of a replica, which lives once. */
export class ReplicaProcess {
  readonly who: string;
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;
  readonly #ready: Promise<boolean>;
  #isOver = false;

  constructor(
    readonly slot: number,
    incarnation: number,
    directory: string,
    settingsOf: SettingsOf,
    private readonly journal: Journal<HarnessRecord>,
  ) {
    this.who = processName(slot, incarnation);
    const settings = settingsOf(slot, this.who);
    const output = openSync(join(directory, `${this.who}.log`), 'a');
    const reporting = ['--report-on-signal', '--report-signal=SIGUSR2', `--report-directory=${directory}`];
    this.#child = spawn(process.execPath, [...reporting, REPLICA], {
      env: { ...process.env, [SETTINGS_VARIABLE]: JSON.stringify(settings) },
      stdio: ['ignore', output, output, 'ipc'],
      // Ctrl-C is for the harness, which stops its replicas itself.
      detached: true,
    });
    closeSync(output);
    this.exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#isOver = true;
        journal.write({ k: 'exit', who: this.who, code, signal });
        resolve();
      });
    });
    // The channel breaks when the process dies.
    this.#child.on('error', () => undefined);
    this.#ready = new Promise((resolve) => {
      this.#child.once('message', () => resolve(true));
      void this.exited.then(() => resolve(false));
    });
  }

  get isRunning(): boolean {
    return !this.#isOver;
  }

  /** @throws Error when it has ended before, or takes too long */
  async untilReady(): Promise<void> {
    const control = new AbortController();
    const limit = pause(READY_WITHIN_MS, false, { signal: control.signal }).catch(() => false);
    const isReady = await Promise.race([this.#ready, limit]);
    control.abort();
    if (isReady) return;
    // Node writes down which of its sockets and timers are open.
    this.#send('SIGUSR2');
    await pause(REPORT_WITHIN_MS);
    throw new Error(`${this.who} has not come up.`);
  }

  tell(command: ReplicaCommand): void {
    if (this.isRunning && this.#child.connected) this.#child.send(command, () => undefined);
  }

  suspend(): void {
    this.#send('SIGSTOP');
  }

  resume(): void {
    this.#send('SIGCONT');
  }

  async kill(): Promise<void> {
    if (!this.isRunning) return;
    this.journal.write({ k: 'signal', who: this.who, signal: 'SIGKILL' });
    this.#send('SIGKILL');
    await this.exited;
  }

  /** Asks it to end; kills it when it does not, which is a finding. */
  async terminate(): Promise<void> {
    if (!this.isRunning) return;
    this.journal.write({ k: 'signal', who: this.who, signal: 'SIGTERM' });
    const askedAt = now();
    this.#send('SIGTERM');
    const control = new AbortController();
    const limit = pause(2 * EXIT_WITHIN_MS, false, { signal: control.signal }).catch(() => false);
    const hasEnded = await Promise.race([this.exited.then(() => true), limit]);
    control.abort();
    if (hasEnded) return;
    this.journal.write({ k: 'finding', t: askedAt, check: 'exit', detail: `${this.who} does not end on SIGTERM` });
    await this.kill();
  }

  #send(signal: NodeJS.Signals): void {
    if (this.isRunning) this.#child.kill(signal);
  }
}
