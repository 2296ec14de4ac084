import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ChaosChecker, type Verdict } from '../checker/chaos-checker.js';
import type { HarnessRecord, ReplicaRecord } from '../records.js';

export const HARNESS_JOURNAL = 'harness.jsonl';
const JOURNAL = /^(replica-\d+\.\d+)\.jsonl$/;

/** Judges what a run has left in its folder, line by line. */
export async function judgeRun(directory: string): Promise<Verdict> {
  const checker = new ChaosChecker();
  for await (const record of recordsOf<HarnessRecord>(join(directory, HARNESS_JOURNAL))) checker.addHarness(record);
  for (const name of readdirSync(directory)) {
    const who = JOURNAL.exec(name)?.[1];
    if (who === undefined) continue;
    for await (const record of recordsOf<ReplicaRecord>(join(directory, name))) checker.addReplica(who, record);
  }
  return checker.verdict();
}

async function* recordsOf<T>(path: string): AsyncGenerator<T> {
  for await (const line of createInterface({ input: createReadStream(path) })) {
    // A process that was killed may leave half a line, and only the last one.
    if (line.endsWith('}')) yield JSON.parse(line) as T;
  }
}
