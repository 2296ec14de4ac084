import { setTimeout as pause } from 'node:timers/promises';
import type { ChaosEngine } from '../engines/chaos-engine.js';
import { areaOf, type Fault } from '../faults/fault.js';
import type { Journal } from '../journal.js';
import { ELECTIONS, slotOf, type HarnessRecord } from '../records.js';
import { LEADER_WITHIN_MS } from '../timing.js';
import type { FencedResource } from './fenced-resource.js';
import { Recovery } from './recovery.js';
import type { ReplicaSet } from './replica-set.js';

/** Less than a request may take: the reply to what was sent in that time still counts. */
const REPLY_HELD_MS = 590;

export interface FaultRunnerParts {
  readonly engine: ChaosEngine;
  readonly replicas: ReplicaSet;
  readonly resource: FencedResource;
  readonly journal: Journal<HarnessRecord>;
  readonly print: (line: string) => void;
}

/** Causes faults and undoes them. */
export class FaultRunner {
  #count = 0;
  /** Where a fault is active: a second one there would undo, or be undone by, the first. */
  readonly #busy = new Set<string>();

  constructor(private readonly parts: FaultRunnerParts) {}

  /** Resolves when it has been undone: what it had stopped runs again. */
  async run(fault: Fault): Promise<void> {
    const { journal, print } = this.parts;
    const { kind, durationMs, deliversLate } = fault;
    const slot = this.#slotOf(fault);
    const place = areaOf(kind) === 'server' ? 'server' : `${areaOf(kind)} ${slot}`;
    if (this.#busy.has(place)) return print(`  ${kind} at ${place}: skipped, a fault is active there`);
    this.#busy.add(place);
    const id = ++this.#count;
    const how = areaOf(kind) === 'network' && deliversLate ? ', late delivery' : '';
    print(`  ${kind} at ${place}, ${durationMs} ms${how}`);
    journal.write({ k: 'fault', id, kind, on: place });
    try {
      await this.#cause(fault, slot);
    } finally {
      journal.write({ k: 'fault-over', id });
      this.#busy.delete(place);
    }
  }

  #slotOf({ target }: Fault): number {
    if (target.leaderOf === undefined) return target.slot;
    const last = this.parts.resource.last(target.leaderOf);
    return last === undefined ? target.slot : slotOf(last.who);
  }

  async #cause(fault: Fault, slot: number): Promise<void> {
    switch (fault.kind) {
      case 'pause':
      case 'block':
      case 'kill':
      case 'term':
      case 'step-down':
        return this.#toProcess(fault, slot);
      case 'lone-survivor':
        return this.#leaveAlone(slot);
      case 'reset':
      case 'refuse':
      case 'blackhole':
      case 'blackhole-up':
      case 'blackhole-down':
      case 'delay':
      case 'half-open':
      case 'late-reply':
        return this.#toNetwork(fault, slot);
      case 'server-kill':
      case 'restart-empty':
      case 'server-pause':
      case 'data-loss':
      case 'kill-connections':
        return this.#toServer(fault);
    }
  }

  async #toProcess({ kind, target, durationMs }: Fault, slot: number): Promise<void> {
    const { replicas } = this.parts;
    const replica = replicas.at(slot);
    if (kind === 'pause') {
      replica.suspend();
      await pause(durationMs);
      replica.resume();
    } else if (kind === 'block') {
      replica.tell({ do: 'block', ms: durationMs });
      await pause(durationMs);
    } else if (kind === 'step-down') {
      replica.tell({ do: 'step-down', election: target.leaderOf ?? ELECTIONS[0] });
    } else {
      await (kind === 'kill' ? replica.kill() : replica.terminate());
      await pause(durationMs);
      await replicas.start(slot);
    }
  }

  /** Everybody else dies: whoever is left has to lead everything. */
  async #leaveAlone(slot: number): Promise<void> {
    const { replicas, journal, resource } = this.parts;
    const { who } = replicas.at(slot);
    await Promise.all(replicas.others(slot).map((it) => it.kill()));
    const recovery = new Recovery(resource);
    journal.write({ k: 'healed', withinMs: LEADER_WITHIN_MS, who });
    await recovery.untilLed(LEADER_WITHIN_MS, who);
    await Promise.all(replicas.others(slot).map((it) => replicas.start(it.slot)));
  }

  async #toNetwork({ kind, durationMs, deliversLate }: Fault, slot: number): Promise<void> {
    const proxy = this.parts.engine.proxyOf(slot);
    const held = deliversLate ? 'deliver' : 'reset';
    if (kind === 'reset') return proxy.resetAll();
    if (kind === 'half-open') {
      proxy.halfOpen();
      await pause(durationMs);
      // A client without timeouts hears of it from its system in the end.
      proxy.resetAll();
    } else if (kind === 'delay') {
      // Twice, there and back, is less than a request may take, or more.
      proxy.delayMs = deliversLate ? 120 : 400;
      await pause(durationMs);
      proxy.delayMs = 0;
    } else if (kind === 'late-reply') {
      await proxy.set('blackhole-down');
      await pause(REPLY_HELD_MS);
      await proxy.set('blackhole-up');
      await pause(durationMs - REPLY_HELD_MS);
      await proxy.set('pass', held);
    } else if (kind === 'refuse' || kind === 'blackhole' || kind === 'blackhole-up' || kind === 'blackhole-down') {
      await proxy.set(kind);
      await pause(durationMs);
      await proxy.set('pass', held);
    }
  }

  async #toServer({ kind, durationMs }: Fault): Promise<void> {
    const { engine } = this.parts;
    if (kind === 'data-loss') return engine.loseData();
    if (kind === 'kill-connections') return engine.killConnections();
    if (kind === 'server-pause') {
      engine.suspend();
      await pause(durationMs);
      engine.resume();
    } else {
      await engine.kill();
      await pause(durationMs);
      await engine.restart({ empty: kind === 'restart-empty' });
    }
  }
}
