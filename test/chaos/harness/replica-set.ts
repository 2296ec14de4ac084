import type { Journal } from '../journal.js';
import { SLOTS, type HarnessRecord } from '../records.js';
import { ReplicaProcess, type SettingsOf } from './replica-process.js';

/** The replicas: one process in each slot, or none for a while. */
export class ReplicaSet {
  readonly #current = new Map<number, ReplicaProcess>();
  readonly #incarnations = new Map<number, number>();
  #isClosed = false;

  constructor(
    private readonly directory: string,
    private readonly settingsOf: SettingsOf,
    private readonly journal: Journal<HarnessRecord>,
  ) {}

  at(slot: number): ReplicaProcess {
    const replica = this.#current.get(slot);
    if (replica === undefined) throw new Error(`Slot ${slot} has never had a process.`);
    return replica;
  }

  others(slot: number): ReplicaProcess[] {
    return SLOTS.filter((it) => it !== slot).map((it) => this.at(it));
  }

  /** Starts a process in a slot whose last one has ended. Resolves when it has booted. */
  async start(slot: number): Promise<ReplicaProcess> {
    // The run was given up: it does not go on.
    if (this.#isClosed) return new Promise(() => undefined);
    const incarnation = this.#incarnations.get(slot) ?? 0;
    this.#incarnations.set(slot, incarnation + 1);
    const replica = new ReplicaProcess(slot, incarnation, this.directory, this.settingsOf, this.journal);
    this.#current.set(slot, replica);
    await replica.untilReady();
    return replica;
  }

  async startAll(): Promise<void> {
    await Promise.all(SLOTS.map((slot) => this.start(slot)));
  }

  async terminateAll(): Promise<void> {
    await Promise.all([...this.#current.values()].map((it) => it.terminate()));
  }

  /** For good: none is started any more. */
  async killAll(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#current.values()].map((it) => it.kill()));
  }
}
