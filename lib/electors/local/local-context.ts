import type { Clock } from '../../core/clock.js';
import type { Candidate } from '../../core/elector.js';
import type { CandidateVoice } from '../../core/lease/candidate-voice.js';
import type { ElectionTurns } from './election-turns.js';
import type { ElectionPlace } from './election-place.js';
import type { TokenFile } from './token-file.js';

/** One candidate in one election on this host. */
export interface LocalContext {
  readonly election: string;
  readonly candidate: Candidate;
  /** The candidate, as it is told of things. */
  readonly voice: CandidateVoice;
  readonly signal: AbortSignal;
  readonly place: ElectionPlace;
  readonly tokens: TokenFile;
  /** Where this process can be reached. */
  readonly address: string | undefined;
  readonly clock: Clock;
  /** With `spread` only. */
  readonly turns: ElectionTurns | undefined;
}

/** How often each process gives a sign of life, and a follower looks again although its connection says nothing. */
export const POLL_MS = 2000;

/** Reports that often that the loop is alive. Returns what ends it. */
export function keepSignOfLife({ voice, clock }: LocalContext, onBeat: () => void = () => undefined): () => void {
  const beat = () => {
    voice.report({ kind: 'read', latencyMs: 0 });
    onBeat();
    cancel = clock.setTimer(beat, POLL_MS, { background: true });
  };
  let cancel = clock.setTimer(beat, POLL_MS, { background: true });
  return () => cancel();
}
