import { setTimeout as sleep } from 'node:timers/promises';
import type { Replicas } from './replicas.js';

const WAIT_MS = 60_000;

/** What can be done, by the name that a script calls it. `quit` ends the demo. */
export const COMMANDS = {
  kill: (replicas) => replicas.kill(),
  pause: (replicas) => replicas.pause(),
  stop: (replicas) => replicas.stop(),
  restart: (replicas) => replicas.restart(),
  wait: (replicas, signal) => untilSettled(replicas, signal),
} satisfies Record<string, (replicas: Replicas, signal: AbortSignal) => Promise<void> | void>;

export type CommandName = keyof typeof COMMANDS;

const KEYS: Readonly<Record<string, CommandName>> = { k: 'kill', p: 'pause', s: 'stop', r: 'restart' };

/** Runs the commands of a script one after the other. @throws Error when nobody leads in time */
export async function runScript(
  script: readonly CommandName[],
  replicas: Replicas,
  signal: AbortSignal,
): Promise<void> {
  for (const name of script) {
    if (signal.aborted) return;
    await COMMANDS[name](replicas, signal);
  }
}

/** Runs a command for each key, until `q`, Ctrl-C or the signal. */
export async function readKeys(replicas: Replicas, signal: AbortSignal): Promise<void> {
  const { stdin } = process;
  stdin.setRawMode(true).setEncoding('utf8');
  try {
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      stdin.on('data', (keys: string) => {
        if (keys.includes('q') || keys.includes('\u0003')) return resolve();
        for (const key of keys) {
          const name = KEYS[key];
          if (name !== undefined) void COMMANDS[name](replicas, signal);
        }
      });
    });
  } finally {
    stdin.setRawMode(false).destroy();
  }
}

/** Until all replicas are up and one of them does the work of the leader. */
async function untilSettled(replicas: Replicas, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!replicas.settled) {
    if (signal.aborted) return;
    if (replicas.allEnded) throw new Error('All replicas have ended');
    if (performance.now() > deadline) throw new Error(`Nobody leads after ${WAIT_MS} ms`);
    await sleep(20);
  }
}
