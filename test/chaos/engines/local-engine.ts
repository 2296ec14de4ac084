import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ChaosEngine } from './chaos-engine.js';

/** No server at all: a folder for tokens. */
export function openLocalEngine(directory: string): ChaosEngine {
  const tokens = join(directory, 'tokens');
  mkdirSync(tokens, { mode: 0o700 });
  const none = (): never => {
    throw new Error('The local elector has no server.');
  };
  return {
    urlFor: () => tokens,
    proxyOf: none,
    kill: none,
    restart: none,
    suspend: none,
    resume: none,
    loseData: none,
    killConnections: none,
    close: () => Promise.resolve(),
  };
}
