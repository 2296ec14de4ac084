import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../fixtures/engines/free-port.js';
import { SAMPLE } from './manifests.js';

declare const NEST_MAJOR: 11 | 12;

const TYPESCRIPT = fileURLToPath(new URL('../../fixtures/typescript.mjs', import.meta.url));

const running = new Set<ChildProcess>();

/** Ends what a failed test leaves behind. */
export const killReplicas = () => running.forEach((it) => it.kill('SIGKILL'));

/** A replica of the sample, from its sources, in a process of its own. */
export async function startReplica(name: string, given: NodeJS.ProcessEnv) {
  const port = await freePort();
  // What this machine has of a cluster is not for the sample.
  const { KUBERNETES_SERVICE_HOST: _, KUBECONFIG: __, ...own } = process.env;
  const child = spawn(process.execPath, ['--import', TYPESCRIPT, join(SAMPLE, 'src', 'main.ts')], {
    env: { ...own, NO_COLOR: '1', NEST_MAJOR: String(NEST_MAJOR), PORT: String(port), POD_NAME: name, ...given },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => {
    running.delete(child);
    return { code, signal };
  });
  return {
    name,
    address: `http://127.0.0.1:${port}`,
    ended,
    output: () => output,
    /** Tokens of the invoices that it has written. */
    tokens: () => [...output.matchAll(/written with token (\d+)/g)].map((match) => BigInt(match[1] ?? '')),
    terminate: () => child.kill('SIGTERM'),
    /** Of an answer; 0 when nobody listens. */
    statusOf: (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        ({ status }) => status,
        () => 0,
      ),
  };
}
