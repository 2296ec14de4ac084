import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './setup.mjs';

const BOOT_MS = 120_000;
const EXIT_MS = 20_000;
const PATHS = ['/health', '/health/live', '/health/ready', '/health/startup'];

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function statusOf(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}

async function untilHealthy(url, exited) {
  const deadline = Date.now() + BOOT_MS;
  while (Date.now() < deadline) {
    if (exited.outcome !== undefined) throw new Error(`The sample ended before it was healthy: ${exited.outcome}`);
    if ((await statusOf(url)) === 200) return;
    await sleep(200);
  }
  throw new Error(`${url} was not 200 within ${BOOT_MS} ms`);
}

async function untilExited(exited) {
  const deadline = Date.now() + EXIT_MS;
  while (exited.outcome === undefined && Date.now() < deadline) await sleep(50);
  if (exited.outcome === undefined) throw new Error(`The sample was still running ${EXIT_MS} ms after SIGTERM`);
}

/** The command that the README gives, less npm: what is signalled is the process that runs the service. */
function startSample(port) {
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: ROOT,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = { outcome: undefined, output: '' };
  child.stdout.on('data', (chunk) => {
    exited.output += chunk;
    process.stdout.write(chunk);
  });
  child.on('exit', (code, signal) => {
    exited.outcome = signal ?? code;
  });
  return { child, exited };
}

const port = await freePort();
const base = `http://127.0.0.1:${port}`;
const { child, exited } = startSample(port);
try {
  await untilHealthy(`${base}/health`, exited);
  for (const path of PATHS) {
    const status = await statusOf(base + path);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
  }
  const before = exited.output.length;
  child.kill('SIGTERM');
  await untilExited(exited);
  // Nest ends a process with the signal that it got, once its hooks have run; without hooks the signal ends it too.
  if (exited.outcome !== 0 && exited.outcome !== 'SIGTERM') throw new Error(`The sample ended with ${exited.outcome}`);
  if (!/stopped/i.test(exited.output.slice(before)))
    throw new Error('The sample ended without stopping its components');
  console.log(`The sample booted, answered at ${PATHS.join(', ')}, and stopped by itself.`);
} finally {
  if (exited.outcome === undefined) child.kill('SIGKILL');
}
