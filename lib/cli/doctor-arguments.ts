import { parseArgs } from 'node:util';

export const ENGINES = ['local', 'redis', 'postgres', 'mysql', 'nats', 'etcd', 'kubernetes'] as const;
export type EngineName = (typeof ENGINES)[number];

/** What the doctor was asked for. */
export interface DoctorArguments {
  readonly engine: EngineName;
  /** Where the engine is. Several for NATS and etcd. Absent: where the elector looks by itself. */
  readonly urls: readonly string[];
  readonly namespace: string;
  /** PostgreSQL with `crashDetection: 'session'`. */
  readonly session: boolean;
  readonly kubeconfig: string | undefined;
  readonly timeoutMs: number;
  readonly strict: boolean;
  readonly json: boolean;
}

/** Wrong usage of the command: nothing was examined. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'LIFECYCLE_CLI_USAGE';
}

const DEFAULT_TIMEOUT_MS = 10_000;
/** They look for it themselves: in the temporary folder, and in the pod or the kubeconfig. */
const WITHOUT_URL: readonly EngineName[] = ['local', 'kubernetes'];
const WITH_SEVERAL: readonly EngineName[] = ['nats', 'etcd'];

/** @throws UsageError */
export function doctorArguments(argv: readonly string[]): DoctorArguments {
  const given = parsed(argv);
  const engine = engineOf(given.engine);
  const urls = given.url ?? [];
  if (urls.length === 0 && !WITHOUT_URL.includes(engine)) throw new UsageError(`--engine ${engine} needs a --url.`);
  if (urls.length > 1 && !WITH_SEVERAL.includes(engine)) throw new UsageError(`--engine ${engine} takes one --url.`);
  if (engine === 'local' && urls.length > 0) throw new UsageError('--engine local has no server, and takes no --url.');
  if (given.session && engine !== 'postgres') throw new UsageError('--session is for --engine postgres.');
  if (given.kubeconfig !== undefined && engine !== 'kubernetes') {
    throw new UsageError('--kubeconfig is for --engine kubernetes.');
  }
  const { namespace, session, kubeconfig, strict, json } = given;
  return { engine, urls, namespace, session, kubeconfig, timeoutMs: timeoutOf(given['timeout-ms']), strict, json };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        engine: { type: 'string' },
        url: { type: 'string', multiple: true },
        namespace: { type: 'string', default: 'doctor' },
        session: { type: 'boolean', default: false },
        kubeconfig: { type: 'string' },
        'timeout-ms': { type: 'string', default: String(DEFAULT_TIMEOUT_MS) },
        strict: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    }).values;
  } catch (cause) {
    // Node's own message names the argument.
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function engineOf(engine: string | undefined): EngineName {
  const known = ENGINES.find((it) => it === engine);
  if (known !== undefined) return known;
  throw new UsageError(`--engine is ${engine ?? 'missing'}, expected one of ${ENGINES.join(', ')}.`);
}

function timeoutOf(text: string): number {
  const timeoutMs = Number(text);
  if (Number.isInteger(timeoutMs) && timeoutMs > 0) return timeoutMs;
  throw new UsageError(`--timeout-ms is ${text}, expected a whole number of milliseconds above 0.`);
}
