import type { ElectorChoice } from '../replica/elector.js';
import { HandOver } from './hand-over.js';
import { ReplicaProcess, type ReplicaListener } from './replica-process.js';

const COUNT = 3;

export interface ReplicasListener {
  /** Something is worth a line. */
  onNews(text: string): void;
  /** Something in the table has changed. */
  onChange(): void;
}

/** The replicas of the app, and what can be done to their leader. */
export class Replicas implements ReplicaListener {
  readonly handOver = new HandOver();
  readonly all: ReplicaProcess[] = [];
  #known: ReplicaProcess | undefined;

  constructor(
    private readonly choice: ElectorChoice,
    private readonly listener: ReplicasListener,
  ) {}

  /** The last one that has taken over: one that is paused may not know yet that it leads no more. */
  get leader(): ReplicaProcess | undefined {
    return this.#known?.leads === true ? this.#known : this.all.find((it) => it.leads);
  }

  /** All that run have booted, one of them does the work, and none is about to end. */
  get settled(): boolean {
    const running = this.all.filter((it) => !it.ended);
    if (this.handOver.pending || running.some((it) => it.state === undefined || it.ending)) return false;
    return running.some((it) => it.works);
  }

  get allEnded(): boolean {
    return this.all.every((it) => it.ended);
  }

  /** Starts those that are missing. */
  restart(): void {
    for (let index = 0; index < COUNT; index++) {
      if (this.all[index]?.ended === false) continue;
      this.all[index] = new ReplicaProcess(`replica-${index + 1}`, this.choice, this);
    }
    this.listener.onChange();
  }

  kill(): void {
    this.#disturb('SIGKILL');
  }

  stop(): void {
    this.#disturb('SIGTERM');
  }

  /** Pauses the leader; the second call continues whoever is paused. */
  pause(): void {
    const paused = this.all.find((it) => it.paused && !it.ended);
    if (paused === undefined) return this.#disturb('SIGSTOP');
    paused.signal('SIGCONT');
    this.listener.onNews(`SIGCONT to ${paused.name}`);
    // If nobody has taken over, it still leads, and nothing is handed over.
    if (paused.leads) this.handOver.cancel();
    this.listener.onChange();
  }

  async end(): Promise<void> {
    await Promise.all(this.all.map((it) => it.end()));
  }

  onState(replica: ReplicaProcess): void {
    if (replica.works && this.#known !== replica) this.#onNewLeader(replica);
    this.listener.onChange();
  }

  onComplaint(replica: ReplicaProcess, text: string): void {
    this.listener.onNews(`${replica.name}: ${text}`);
  }

  onExit(replica: ReplicaProcess, how: string): void {
    if (this.#known === replica) this.#known = undefined;
    this.listener.onNews(`${replica.name} has ended (${how})`);
    this.listener.onChange();
  }

  #disturb(signal: NodeJS.Signals): void {
    const { leader } = this;
    if (leader === undefined) return this.listener.onNews('Nobody leads');
    this.handOver.begin(signal);
    leader.signal(signal);
    this.listener.onNews(`${signal} to ${leader.name}, which leads`);
    this.listener.onChange();
  }

  #onNewLeader(replica: ReplicaProcess): void {
    const what = this.handOver.end();
    this.#known = replica;
    this.listener.onNews(`${replica.name} leads and works, token ${replica.state?.token}${what ? `: ${what}` : ''}`);
  }
}
