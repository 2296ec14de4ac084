import { ELECTIONS, type EngineName } from '../records.js';
import type { Random } from '../../fixtures/random.js';
import { drawFault } from './fault-plan.js';
import type { Fault, FaultKind, Step } from './fault.js';

/** Mistakes that are made on purpose, to see the checker find them. */
export const CONTROLS = {
  /** The deadline of a term is counted from the reply to a renewal, not from its sending. */
  'deadline-from-reply': { lease: true, provokedBy: ['late-reply'], foundAs: ['two-leaders'] },
  /** `isLeader()` reads a flag, which stays until the loss has been handled. */
  'sticky-flag': { lease: true, provokedBy: ['block'], foundAs: ['two-leaders'] },
  /** The lease is released when the term ends, not when its work has settled. */
  'early-release': { lease: false, provokedBy: ['step-down', 'term'], foundAs: ['released-before-settled'] },
  /** Whoever finds an empty store takes it at once. */
  'no-wait-after-data-loss': { lease: true, provokedBy: ['blackhole', 'data-loss'], foundAs: ['two-leaders'] },
} as const satisfies Record<string, Control>;

interface Control {
  /** Whether only an elector that holds a lease can make the mistake. */
  readonly lease: boolean;
  readonly provokedBy: readonly FaultKind[];
  /** Any of these checks must fail. */
  readonly foundAs: readonly string[];
}

export type ControlName = keyof typeof CONTROLS;

export function isControl(name: string): name is ControlName {
  return Object.hasOwn(CONTROLS, name);
}

export function controlsFor(engine: EngineName): ControlName[] {
  return (Object.keys(CONTROLS) as ControlName[]).filter((it) => engine !== 'local' || !CONTROLS[it].lease);
}

/** Nothing but what provokes the mistake, at whoever leads. */
export function* controlPlan(control: ControlName, random: Random): Generator<Step, never> {
  const at = (kind: FaultKind, durationMs?: number): Fault => {
    const fault = drawFault(kind, random);
    const target = { ...fault.target, leaderOf: ELECTIONS[0] };
    return { ...fault, target, ...(durationMs !== undefined && { durationMs }) };
  };
  for (;;) {
    switch (control) {
      case 'deadline-from-reply':
        yield step(at('late-reply', 4500));
        break;
      case 'sticky-flag':
        yield step(at('block', 4500));
        break;
      case 'early-release':
        yield step(at(random.pick(['step-down', 'term'])));
        break;
      case 'no-wait-after-data-loss':
        yield { faults: [at('blackhole', 4000), at('data-loss')], offsetMs: 50, quietMs: 500 };
        break;
    }
  }
}

function step(fault: Fault): Step {
  return { faults: [fault], offsetMs: 0, quietMs: 500 };
}
