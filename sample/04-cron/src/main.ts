import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const REPLICAS = 3;
const REPLICA = fileURLToPath(import.meta.resolve('./replica.js'));

// Several processes of this host, as an orchestrator would start them on several.
const replicas = Array.from({ length: REPLICAS }, () => fork(REPLICA));
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => replicas.forEach((it) => it.kill('SIGTERM')));
}
