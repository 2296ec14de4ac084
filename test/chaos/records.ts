/** Nanoseconds on the host's monotonic clock, which all its processes share, as text: JSON has no integers that large. */
export type Time = string;

export const ENGINES = [
  'local',
  'redis',
  'postgres',
  'postgres-session',
  'kubernetes',
  'etcd',
  'nats',
  'mysql',
] as const;
export type EngineName = (typeof ENGINES)[number];

/** What a replica writes down. All times were taken BEFORE what they stand for was asked or done. */
export type ReplicaRecord =
  | { readonly k: 'boot'; readonly t: Time; readonly pid: number }
  /** How far it has come since: the resource can be reached, there is an elector, the app is made. */
  | { readonly k: 'stage'; readonly t: Time; readonly stage: 'resource' | 'elector' | 'app' }
  /** `isLeader()` was true: taken before it was called, so it led at that time already. */
  | { readonly k: 'led'; readonly t: Time; readonly e: string; readonly token: string }
  /** A side effect began: taken before `term.assertValid()`, which did not throw. */
  | { readonly k: 'effect'; readonly t: Time; readonly e: string; readonly token: string }
  /** The elector granted a term; the term's signal was aborted. */
  | { readonly k: 'elected' | 'ended'; readonly t: Time; readonly e: string; readonly token: string }
  /** The component's run has begun; nothing of it is left. */
  | { readonly k: 'working' | 'settled'; readonly t: Time; readonly e: string; readonly token: string }
  | { readonly k: 'acquired'; readonly t: Time; readonly e: string; readonly token: string }
  | { readonly k: 'lost'; readonly t: Time; readonly e: string; readonly token: string; readonly voluntary: boolean }
  | { readonly k: 'status'; readonly t: Time; readonly component: string; readonly from: string; readonly to: string }
  /** The elector reported an error or a refusal. */
  | { readonly k: 'report'; readonly t: Time; readonly e: string; readonly operation: string; readonly error: string }
  /** The event loop stood still from `t` until `until`: the process was paused, blocked or starved. */
  | { readonly k: 'lag'; readonly t: Time; readonly until: Time }
  /** An unhandled rejection, an uncaught exception or a warning of Node. */
  | { readonly k: 'trouble'; readonly t: Time; readonly what: string; readonly message: string }
  /** A probe failed. */
  | {
      readonly k: 'probe';
      readonly t: Time;
      readonly probe: 'live' | 'ready';
      readonly reasons: readonly string[];
    }
  /** `close()` has been called; it has resolved. */
  | { readonly k: 'closing' | 'closed'; readonly t: Time };

/** What the harness writes down. */
export type HarnessRecord =
  | { readonly k: 'lag'; readonly t: Time; readonly until: Time }
  /** A fault was caused; it has been undone. */
  | { readonly k: 'fault'; readonly t: Time; readonly id: number; readonly kind: string; readonly on: string }
  | { readonly k: 'fault-over'; readonly t: Time; readonly id: number }
  /** Nothing is broken from here on: somebody has to lead every election within `withinMs`; `who`: that replica. */
  | { readonly k: 'healed'; readonly t: Time; readonly withinMs: number; readonly who?: string }
  /** From `t` until `until` no fault was active nor had one of its consequences left: nothing may change. */
  | { readonly k: 'quiet'; readonly t: Time; readonly until: Time }
  /** The fenced resource took an effect under a token, for the first time in a row. */
  | { readonly k: 'taken'; readonly t: Time; readonly e: string; readonly token: string; readonly who: string }
  /** The fenced resource refused an effect: it had taken one under a higher token. */
  | {
      readonly k: 'refused';
      readonly t: Time;
      readonly e: string;
      readonly token: string;
      readonly who: string;
      readonly begun: Time;
    }
  /** Signals that the harness sent to a replica. */
  | { readonly k: 'signal'; readonly t: Time; readonly who: string; readonly signal: 'SIGTERM' | 'SIGKILL' }
  | {
      readonly k: 'exit';
      readonly t: Time;
      readonly who: string;
      readonly code: number | null;
      readonly signal: string | null;
    }
  | { readonly k: 'count'; readonly t: Time; readonly effects: number }
  /** Something that the harness found out by itself. */
  | { readonly k: 'finding'; readonly t: Time; readonly check: string; readonly detail: string };

export function now(): Time {
  return String(process.hrtime.bigint());
}

export const SLOTS = [0, 1, 2] as const;
export const ELECTIONS = ['default', 'reports'] as const;

/** One process of a replica: its slot, and how many were there before it. */
export function processName(slot: number, incarnation: number): string {
  return `replica-${slot}.${incarnation}`;
}

export function slotOf(who: string): number {
  return Number(/^replica-(\d+)\./.exec(who)?.[1] ?? Number.NaN);
}
