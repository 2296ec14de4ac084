import type { Journal } from '../journal.js';
import { now, type HarnessRecord } from '../records.js';

const PERIOD_MS = 10;
const LAG_MS = 50;

/** Notes when the harness itself stood still, and with it the fenced resource. Returns what ends it. */
export function watchHarnessLag(journal: Journal<HarnessRecord>): () => void {
  let last = now();
  const timer = setInterval(() => {
    const until = now();
    if (BigInt(until) - BigInt(last) > BigInt(LAG_MS) * 1_000_000n) journal.write({ k: 'lag', t: last, until });
    last = until;
  }, PERIOD_MS);
  return () => clearInterval(timer);
}
