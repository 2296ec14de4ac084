import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Verdict } from '../checker/chaos-checker.js';
import type { ChaosEngine } from '../engines/chaos-engine.js';
import { openEngine } from '../engines/open-engine.js';
import { CONTROLS, controlPlan, type ControlName } from '../faults/control-plan.js';
import { drawFault, faultPlan } from '../faults/fault-plan.js';
import type { Step } from '../faults/fault.js';
import { Journal } from '../journal.js';
import { ELECTIONS, SLOTS, now, slotOf, type EngineName, type HarnessRecord } from '../records.js';
import type { ReplicaSettings } from '../replica/replica-settings.js';
import { Random } from '../../fixtures/random.js';
import { DATA_LOSS_EXTRA_MS, LEADER_WITHIN_MS, LEASE_MS } from '../timing.js';
import { FaultRunner } from './fault-runner.js';
import { FencedResource } from './fenced-resource.js';
import { watchHarnessLag } from './harness-lag.js';
import { HARNESS_JOURNAL, judgeRun } from './read-run.js';
import { Recovery } from './recovery.js';
import { ReplicaSet } from './replica-set.js';

export interface ChaosRunOptions {
  readonly engine: EngineName;
  readonly minutes: number;
  readonly seed: number;
  readonly control?: ControlName;
  readonly print: (line: string) => void;
}

/** What a fault leaves behind is over that long after it was undone: leases have run out, clients have connected again. */
const SETTLED_AFTER_MS = LEASE_MS + 500;
const CLOSE_WITHIN_MS = 10_000;

/** One run, from the first process to the verdict. */
export class ChaosRun {
  readonly directory = mkdtempSync(join(tmpdir(), 'chaos-'));
  readonly #journal = new Journal<HarnessRecord>(join(this.directory, HARNESS_JOURNAL));
  readonly #random: Random;
  readonly #namespace = `chaos-${randomBytes(4).toString('hex')}`;
  readonly #startedAt = performance.now();
  #engine: ChaosEngine | undefined;
  #replicas: ReplicaSet | undefined;
  #resource: FencedResource | undefined;

  constructor(private readonly options: ChaosRunOptions) {
    this.#random = new Random(options.seed);
  }

  /** @returns what the processes have written, judged. All that was started has ended. */
  async run(): Promise<Verdict> {
    const unwatch = watchHarnessLag(this.#journal);
    try {
      await this.#play();
    } finally {
      unwatch();
      await this.stop();
    }
    return judgeRun(this.directory);
  }

  /** Ends all that was started, whatever it is doing. */
  async stop(): Promise<void> {
    await this.#replicas?.killAll();
    await this.#resource?.close();
    // What a proxy waits for may never come; servers are killed when this process ends, at the latest.
    await Promise.race([this.#engine?.close(), pause(CLOSE_WITHIN_MS)]);
    this.#resource = undefined;
    this.#engine = undefined;
  }

  removeLogs(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #play(): Promise<void> {
    const { engine: name, control } = this.options;
    const engine = (this.#engine = await openEngine(name, this.directory));
    const socket = join(this.directory, 'resource.sock');
    const resource = (this.#resource = await FencedResource.open(socket, this.#journal));
    const settingsOf = (slot: number, who: string) => this.#settingsOf(slot, who, engine, socket);
    const replicas = (this.#replicas = new ReplicaSet(this.directory, settingsOf, this.#journal));
    await replicas.startAll();
    await this.#recover(resource, { dataLoss: true, quietMs: 1000 });
    const parts = { engine, replicas, resource, journal: this.#journal, print: (line: string) => this.#print(line) };
    const runner = new FaultRunner(parts);
    await this.#playPlan(runner, resource);
    if (control === undefined) await this.#letEverybodyLead(runner, resource);
    this.#journal.write({ k: 'count', effects: resource.count });
    await replicas.terminateAll();
  }

  async #playPlan(runner: FaultRunner, resource: FencedResource): Promise<void> {
    const { engine, control, minutes } = this.options;
    const plan = control === undefined ? faultPlan(engine, this.#random) : controlPlan(control, this.#random);
    for (const [index, step] of numbered(plan)) {
      if (this.#elapsedMs >= minutes * 60_000) return;
      await this.#playStep(index, step, runner, resource);
      if (control !== undefined && (await this.#isFound(control))) return;
    }
  }

  async #playStep(index: number, step: Step, runner: FaultRunner, resource: FencedResource): Promise<void> {
    this.#print(`step ${index}`);
    const faults = step.faults.map(async (fault, position) => {
      await pause(position * step.offsetMs);
      await runner.run(fault);
    });
    await Promise.all(faults);
    const dataLoss = step.faults.some(({ kind }) => kind === 'data-loss' || kind === 'restart-empty');
    await this.#recover(resource, { dataLoss, quietMs: step.quietMs });
  }

  /** Waits for leaders, then for nothing to happen. */
  async #recover(resource: FencedResource, after: { dataLoss: boolean; quietMs: number }): Promise<void> {
    const withinMs = LEADER_WITHIN_MS + (after.dataLoss ? DATA_LOSS_EXTRA_MS : 0);
    this.#journal.write({ k: 'healed', withinMs });
    await Promise.all([new Recovery(resource).untilLed(withinMs), pause(SETTLED_AFTER_MS)]);
    // Who led when all was well may have been about to lose it.
    await new Recovery(resource).untilLed(withinMs);
    const t = now();
    await pause(after.quietMs);
    this.#journal.write({ k: 'quiet', t, until: now() });
  }

  /** By chance, a replica may have had no turn. */
  async #letEverybodyLead(runner: FaultRunner, resource: FencedResource): Promise<void> {
    for (const slot of SLOTS) {
      if (ELECTIONS.every((e) => resource.owners(e).some((who) => slotOf(who) === slot))) continue;
      const fault = { ...drawFault('lone-survivor', this.#random), target: { slot } };
      await this.#playStep(slot, { faults: [fault], offsetMs: 0, quietMs: 1000 }, runner, resource);
    }
  }

  async #isFound(control: ControlName): Promise<boolean> {
    const expected: readonly string[] = CONTROLS[control].foundAs;
    return (await judgeRun(this.directory)).violations.some(({ check }) => expected.includes(check));
  }

  #settingsOf(slot: number, who: string, engine: ChaosEngine, socket: string): ReplicaSettings {
    return {
      who,
      slot,
      engine: this.options.engine,
      journal: join(this.directory, `${who}.jsonl`),
      resource: socket,
      url: engine.urlFor(slot),
      namespace: this.#namespace,
      ...(this.options.control !== undefined && { control: this.options.control }),
    };
  }

  get #elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  #print(line: string): void {
    this.options.print(`${(this.#elapsedMs / 1000).toFixed(1).padStart(7)} s  ${line}`);
  }
}

function* numbered<T>(items: Iterable<T>): Generator<[number, T]> {
  let index = 0;
  for (const item of items) yield [++index, item];
}
