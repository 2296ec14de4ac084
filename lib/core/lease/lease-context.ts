import type { CandidateVoice } from './candidate-voice.js';
import type { LeaseLoopOptions } from './lease-options.js';
import type { LeaseStore } from './lease-store.js';

/** What all parts of one campaign share. */
export interface LeaseContext {
  readonly election: string;
  readonly voice: CandidateVoice;
  readonly store: LeaseStore;
  readonly options: LeaseLoopOptions;
  /** Aborts when the campaign is to end. */
  readonly signal: AbortSignal;
}
