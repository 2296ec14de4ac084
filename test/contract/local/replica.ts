/**
 * A process with candidates in one election. What it does is told by the JSON in its argument and by lines on stdin, what
 * happens in it by JSON lines on stdout. Run by `runReplica()` of `replicas.ts`.
 */
import cluster from 'node:cluster';
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { onAbort, sharedAbortController } from '../../../lib/core/abort.js';
import type { Candidate, ElectorReport, LeadershipTerm } from '../../../lib/core/elector.js';
import { LocalElector } from '../../../lib/electors/local/index.js';
import type { ReplicaEvent, ReplicaOptions } from './replicas.js';

const {
  namespace,
  directory,
  candidates = 1,
  workers = 0,
  idle,
} = JSON.parse(process.argv[2] ?? '{}') as ReplicaOptions;

/** Synchronous: the process may be killed right after. */
function tell(event: Omit<ReplicaEvent, 'pid' | 'atMs'>): void {
  const atMs = Number(process.hrtime.bigint()) / 1e6;
  writeSync(1, `${JSON.stringify({ ...event, pid: process.pid, atMs })}\n`);
}

function newCandidate(identity: string): Candidate {
  return {
    identity,
    async onElected(term: LeadershipTerm) {
      tell({ kind: 'elected', identity, token: String(term.fencingToken) });
      await new Promise<void>((resolve) => onAbort(term.signal, resolve));
      tell({ kind: 'settled', identity, token: String(term.fencingToken) });
    },
    onLeaderObserved: (leader) => tell({ kind: 'observed', identity, ...(leader && { leader: leader.identity }) }),
    onReport(report: ElectorReport) {
      if (report.kind === 'error' || report.kind === 'refusal') {
        tell({ kind: report.kind, identity, message: (report.error as Error).message });
      }
    },
  };
}

async function stand(): Promise<void> {
  const end = sharedAbortController();
  const campaigns = Array.from({ length: candidates }, (_, index) => {
    const elector = new LocalElector({ namespace, directory });
    return elector.campaign('default', newCandidate(`${process.pid}#${index}`), end.signal);
  });
  // Campaigns keep no process alive; this does.
  if (!idle) process.on('SIGTERM', () => end.abort());
  const alive = idle ? undefined : setInterval(() => undefined, 60_000);
  if (idle) createInterface({ input: process.stdin }).once('line', () => process.stdin.destroy());
  await Promise.all(campaigns);
  clearInterval(alive);
  tell({ kind: 'over' });
}

if (workers > 0 && cluster.isPrimary) {
  process.on('SIGTERM', () => Object.values(cluster.workers ?? {}).forEach((it) => it?.process.kill('SIGTERM')));
  for (let index = 0; index < workers; index++) cluster.fork();
} else {
  void stand();
}
