import type { Stage } from './stage.js';

/** One promise of an elector. */
export interface ElectorCase {
  readonly name: string;
  readonly act: (stage: Stage) => Promise<void>;
}
