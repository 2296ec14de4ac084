import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments } from './demo/arguments.js';
import { readKeys, runScript } from './demo/commands.js';
import { Lines } from './demo/lines.js';
import { Replicas } from './demo/replicas.js';
import { Screen } from './demo/screen.js';

const { script, ...engine } = readArguments(process.argv.slice(2));
const isInteractive = script === undefined && process.stdin.isTTY && process.stdout.isTTY;

const end = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end.abort());

const directory = await mkdtemp(join(tmpdir(), 'failover-demo-'));
const display = isInteractive ? new Screen() : new Lines();
// On a server the name stays, with its last token; on this host two demos must not meet.
const namespace = engine.engine === 'local' ? `failover-demo-${process.pid}` : 'failover-demo';
const replicas = new Replicas({ ...engine, namespace, directory }, display);
display.open(replicas);
try {
  replicas.restart();
  if (script !== undefined) await runScript(script, replicas, end.signal);
  else if (isInteractive) await readKeys(replicas, end.signal);
  else await new Promise((resolve) => end.signal.addEventListener('abort', resolve, { once: true }));
} catch (error) {
  display.onNews((error as Error).message);
  process.exitCode = 1;
} finally {
  await replicas.end();
  await rm(directory, { recursive: true });
  display.close();
}
