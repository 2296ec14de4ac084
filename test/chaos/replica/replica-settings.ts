import type { ControlName } from '../faults/control-plan.js';
import type { EngineName } from '../records.js';

/** What a replica process is told, in its environment. */
export interface ReplicaSettings {
  readonly who: string;
  readonly slot: number;
  readonly engine: EngineName;
  readonly journal: string;
  /** Path of the fenced resource's socket. */
  readonly resource: string;
  /** Where the engine is reached from this replica: a URL, through its proxy; a folder with the local elector. */
  readonly url: string;
  readonly namespace: string;
  readonly control?: ControlName;
}

export const SETTINGS_VARIABLE = 'CHAOS_REPLICA';

/** What the harness tells a running replica. */
export type ReplicaCommand =
  { readonly do: 'block'; readonly ms: number } | { readonly do: 'step-down'; readonly election: string };
