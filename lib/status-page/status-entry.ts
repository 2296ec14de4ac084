import type { Status } from '../core/status.js';

/** Who leads, with the token as text: JSON has no numbers of that size. */
export interface LeaderDocument {
  readonly identity: string;
  readonly fencingToken?: string;
  /** In milliseconds since the epoch. */
  readonly since: number;
  readonly address?: string;
}

/** What happened, as JSON takes it: tokens and errors as text. Times in milliseconds since the epoch, lengths in milliseconds. */
export type StatusEntry = { readonly seq: number; readonly at: number } & StatusFact;

export type StatusFact =
  | {
      readonly kind: 'component';
      readonly component: string;
      readonly from: Status;
      readonly to: Status;
      /** How long it had been in `from`. */
      readonly durationMs: number;
      readonly election?: string;
      readonly restarts: number;
      readonly error?: string;
      readonly restartInMs?: number;
    }
  | {
      readonly kind: 'acquired';
      readonly election: string;
      readonly identity: string;
      readonly fencingToken: string;
    }
  | {
      readonly kind: 'lost';
      readonly election: string;
      readonly identity: string;
      readonly fencingToken: string;
      readonly durationMs: number;
      readonly reason: string;
      readonly voluntary: boolean;
    }
  | {
      readonly kind: 'started' | 'settled';
      readonly election: string;
      readonly identity: string;
      readonly fencingToken: string;
      readonly durationMs: number;
    }
  | { readonly kind: 'observed'; readonly election: string; readonly leader?: LeaderDocument }
  | { readonly kind: 'health'; readonly component: string; readonly healthy: boolean; readonly error?: string }
  | {
      readonly kind: 'phase';
      readonly phase: 'boot' | 'shutdown';
      readonly state: 'begun' | 'ended';
      readonly durationMs?: number;
      readonly error?: string;
    };
