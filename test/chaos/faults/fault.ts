import type { EngineName } from '../records.js';

/** What can be done to one replica process. */
export type ProcessFault = 'pause' | 'block' | 'kill' | 'term' | 'step-down';
/** What can be done to the network between one replica and the server. */
export type NetworkFault =
  'reset' | 'refuse' | 'blackhole' | 'blackhole-up' | 'blackhole-down' | 'delay' | 'half-open' | 'late-reply';
/** What can be done to the server, and to what it keeps. */
export type ServerFault = 'server-kill' | 'server-pause' | 'data-loss' | 'restart-empty' | 'kill-connections';
export type FaultKind = ProcessFault | NetworkFault | ServerFault | 'lone-survivor';

/** Whom a fault is for: who leads that election when it begins, or a replica whatever it is then. */
export interface Target {
  readonly leaderOf?: string;
  /** Also used when nobody leads. */
  readonly slot: number;
}

export interface Fault {
  readonly kind: FaultKind;
  readonly target: Target;
  /** Until it is undone, in milliseconds. */
  readonly durationMs: number;
  /** Whether what the network kept back arrives after all; else its connection is reset. */
  readonly deliversLate: boolean;
}

/** One or two faults that begin one after the other, and what follows when they are over. */
export interface Step {
  readonly faults: readonly Fault[];
  /** From the beginning of the first to that of the second, in milliseconds. */
  readonly offsetMs: number;
  /** How long nothing happens afterwards, in milliseconds. */
  readonly quietMs: number;
}

const PROCESS: readonly ProcessFault[] = ['pause', 'block', 'kill', 'term', 'step-down'];
const NETWORK: readonly NetworkFault[] = [
  'reset',
  'refuse',
  'blackhole',
  'blackhole-up',
  'blackhole-down',
  'delay',
  'half-open',
  'late-reply',
];
const SERVER: readonly ServerFault[] = [
  'server-kill',
  'server-pause',
  'data-loss',
  'restart-empty',
  'kill-connections',
];

/** In the order in which they are drawn from. */
export function faultsFor(engine: EngineName): readonly FaultKind[] {
  if (engine === 'local') return [...PROCESS, 'lone-survivor'];
  return [...PROCESS, ...NETWORK, ...SERVER, 'lone-survivor'];
}

export function areaOf(kind: FaultKind): 'process' | 'network' | 'server' | 'all' {
  if (includes(PROCESS, kind)) return 'process';
  if (includes(NETWORK, kind)) return 'network';
  return includes(SERVER, kind) ? 'server' : 'all';
}

function includes(kinds: readonly string[], kind: string): boolean {
  return kinds.includes(kind);
}
