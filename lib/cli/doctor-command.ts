import { settlesWithin, systemClock } from '../core/clock.js';
import type { Diagnosis, Elector } from '../core/elector.js';
import { errorText } from '../core/error-text.js';
import { doctorArguments, ENGINES, type DoctorArguments } from './doctor-arguments.js';
import { electorOf } from './elector-of.js';
import { Secrets } from './secrets.js';

/** Where a command prints. */
export interface Output {
  print(text: string): void;
}

export const DOCTOR_USAGE = `nestjs-lifecycle doctor --engine <${ENGINES.join('|')}> [--url <url>] [options]

  --url <url>        where the engine is; for nats and etcd as often as there are servers. Not for local; for kubernetes
                     only where neither the pod nor a kubeconfig says it
  --namespace <name> of the elections. Default: doctor
  --session          postgres: with crashDetection: 'session'
  --kubeconfig <path>
  --timeout-ms <ms>  for the whole examination. Default: 10000
  --strict           a warning fails too
  --json             one JSON document instead of lines

It changes nothing on the engine. Exit code: 0 nothing is wrong, 1 something is, 2 wrong usage.`;

const MARKS: Readonly<Record<Diagnosis['level'], string>> = { ok: '✓', note: '·', warning: '!', error: '✗' };
const CLOSE_LIMIT_MS = 2000;

/** @returns the exit code. @throws UsageError */
export async function doctorCommand(argv: readonly string[], output: Output): Promise<number> {
  const given = doctorArguments(argv);
  const secrets = new Secrets(given.urls);
  const findings = (await examine(given)).map(({ level, summary, remedy }) => ({
    level,
    summary: secrets.hide(summary),
    ...(remedy !== undefined && { remedy: secrets.hide(remedy) }),
  }));
  const isFine = findings.every(({ level }) => level !== 'error' && (level !== 'warning' || !given.strict));
  if (given.json) output.print(JSON.stringify({ engine: given.engine, ok: isFine, findings }, undefined, 2));
  else for (const finding of findings) output.print(lineOf(finding));
  return isFine ? 0 : 1;
}

async function examine(given: DoctorArguments): Promise<readonly Diagnosis[]> {
  let elector: Elector | undefined;
  try {
    elector = await electorOf(given);
    return await diagnoseInTime(elector, given.timeoutMs);
  } catch (error) {
    return [{ level: 'error', summary: errorText(error) }];
  } finally {
    const closed = Promise.resolve(elector?.close?.()).catch(() => undefined);
    await settlesWithin(systemClock, closed, CLOSE_LIMIT_MS);
  }
}

async function diagnoseInTime(elector: Elector, timeoutMs: number): Promise<readonly Diagnosis[]> {
  const diagnosis = elector.diagnose?.() ?? Promise.resolve([]);
  if (await settlesWithin(systemClock, diagnosis, timeoutMs)) return diagnosis;
  diagnosis.catch(() => undefined);
  const remedy = 'Check address, network and firewall; or give it longer by --timeout-ms.';
  return [{ level: 'error', summary: `The engine has not answered within ${timeoutMs} ms.`, remedy }];
}

function lineOf({ level, summary, remedy }: Diagnosis): string {
  return `${MARKS[level]} ${summary}${remedy === undefined ? '' : `\n  ${remedy}`}`;
}
