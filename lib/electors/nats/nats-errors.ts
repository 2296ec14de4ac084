import { someCause } from '../../core/abort.js';
import { EngineRefusalError, LifecycleError } from '../../core/errors.js';
import { errorText } from '../../core/error-text.js';
import { JETSTREAM_CODES, JetStreamError } from './jetstream-error.js';

/** What JetStream answers until somebody acts, and what has to be done. */
const REFUSALS: Readonly<Record<number, string>> = {
  10005:
    'Replicas need as many servers of the cluster, with JetStream and room: start those that are missing, or lower "replicas".',
  10023: 'JetStream has no room left. Raise max_file_store of the servers, or the limits of the account.',
  10025: 'Create the bucket by hand, or correct the options "bucket" and "replicas".',
  10026: 'The account may have no more streams. Raise its limit, or give the option "bucket" a bucket that is there.',
  10027: 'The account may have no more streams. Raise its limit, or give the option "bucket" a bucket that is there.',
  10028: 'JetStream has no memory left. Use a bucket in files, or raise the limits of the account.',
  10035: 'JetStream is not enabled for this account. Enable it in the account of this user.',
  10039: 'JetStream is not enabled for this account. Enable it in the account of this user.',
  10047: 'JetStream has no room left. Raise max_file_store of the servers, or the limits of the account.',
  10060: 'The subject of the bucket belongs to another stream. Give the option "bucket" another name.',
  10065: 'Another stream has the subjects of the bucket. Give the option "bucket" another name.',
  10074: 'Replicas need a cluster. Leave "replicas" out, or use 1.',
  10076: 'JetStream is not enabled on this server. Start it with -js, or with a jetstream block in its configuration.',
  10077: 'The bucket is full. Raise its limits: nats stream edit KV_<bucket>.',
  10109: 'The bucket is sealed. Use another one.',
  10122: 'The bucket is full. Raise its limits: nats stream edit KV_<bucket>.',
};

const NOT_PERMITTED =
  'Let this user publish to $JS.API.STREAM.INFO.KV_<bucket>, $JS.API.STREAM.CREATE.KV_<bucket>, ' +
  '$JS.API.STREAM.MSG.GET.KV_<bucket>, $KV.<bucket>.<namespace>.> and nestjs-lifecycle.released.<bucket>.<namespace>.>, and ' +
  'subscribe to the last one and to _INBOX.>; docs/nats.md has the configuration.';

/** A refusal when nothing but somebody's action will change it; else an error that is tried again. */
export function asEngineError(operation: string, error: unknown, info?: { readonly jetstream?: boolean }): unknown {
  if (error instanceof LifecycleError) return error;
  if (isNamed(error, 'PermissionViolationError')) return refusal(operation, error, NOT_PERMITTED);
  if (isNamed(error, 'AuthorizationError')) return refusal(operation, error, 'Correct the user, password or token.');
  if (isNamed(error, 'UserAuthenticationExpiredError')) return refusal(operation, error, 'Renew the credentials.');
  if (isNamed(error, 'NoResponders')) return nobodyAnswers(operation, error, info);
  if (!(error instanceof JetStreamError)) return error;
  const remedy = REFUSALS[error.code];
  if (remedy !== undefined) return refusal(operation, error, remedy);
  const isExpected = (Object.values(JETSTREAM_CODES) as number[]).includes(error.code);
  if (isExpected || error.status >= 500) return error;
  return refusal(operation, error, 'Check the settings of the bucket: nats stream info KV_<bucket>.');
}

function nobodyAnswers(operation: string, error: unknown, info?: { readonly jetstream?: boolean }): unknown {
  if (info !== undefined && info.jetstream !== true) return refusal(operation, error, REFUSALS[10076] ?? '');
  // A cluster that elects, or a bucket that was deleted a moment ago.
  return new Error(`Nobody in NATS answers "${operation}" now: the stream of the bucket has no leader, or is gone.`, {
    cause: error,
  });
}

function refusal(operation: string, error: unknown, remedy: string): EngineRefusalError {
  const text = errorText(error).replace(/\.+$/, '');
  return new EngineRefusalError(`NATS refused "${operation}": ${text}. ${remedy}`, { cause: error });
}

/** By name: with a connection that was given they may be of another copy of the client. */
function isNamed(error: unknown, name: string): boolean {
  return someCause(error, (it) => it instanceof Error && it.name === name);
}
