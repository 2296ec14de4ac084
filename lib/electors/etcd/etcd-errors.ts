import { EngineRefusalError, LifecycleError } from '../../core/errors.js';
import { errorText } from '../../core/error-text.js';
import { GatewayError } from './gateway-error.js';

/** What etcd answers until somebody acts, and what has to be done. The first that matches counts. */
const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [
    /permission denied/i,
    'Grant the role of this user readwrite on the keys of the namespace; docs/etcd.md has the commands.',
  ],
  [/user name is empty/i, 'This etcd asks for a user. Pass "username" and "password".'],
  [/invalid user ID or password|user name not found|authentication failed/i, 'Correct "username" and "password".'],
  [
    /database space exceeded|NOSPACE/i,
    'The cluster takes no writes. Compact and defragment it, raise --quota-backend-bytes if need be, and disarm the alarm ' +
      '(etcdctl alarm disarm).',
  ],
  [/corrupt/i, 'The cluster has an alarm of corrupt data and takes no writes. See the logs of its members.'],
];

/** Of `node:tls`: a certificate, or a protocol, that will be as wrong the next time. */
const TLS_CODE = /^(?:ERR_SSL_|ERR_TLS_|ERR_OSSL_|CERT_|EPROTO$|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/;
const NOT_FOUND = 404;
/** Statuses of gRPC that are about a member, not about what it was asked: unknown, deadline exceeded, internal, unavailable. */
const MEMBER_CODES: readonly (number | undefined)[] = [2, 4, 13, 14];
const UNAUTHENTICATED = 401;

/** Whether another member may well answer what this one has not. */
export function mayAnswerElsewhere(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return true;
  if (error.status >= 500 || MEMBER_CODES.includes(error.code)) return true;
  return /learner|no leader/.test(error.message) || isNoGateway(error);
}

/** Whether a token is not, or no more, one that etcd knows: it forgets all when it restarts, and each after a while. */
export function isStaleToken(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  if (error.status === UNAUTHENTICATED) return true;
  return /invalid auth token|user name is empty|auth store is old/i.test(error.message);
}

export function isAuthDisabled(error: unknown): boolean {
  return error instanceof GatewayError && /authentication is not enabled/i.test(error.message);
}

/** A refusal when nothing but somebody's action will change it; else an error that is tried again. */
export function asEngineError(operation: string, error: unknown): unknown {
  if (error instanceof LifecycleError) return error;
  const remedy = remedyFor(error);
  if (remedy === undefined) return error;
  // OpenSSL's have line ends in them.
  const text = errorText(error)
    .replace(/\s+/g, ' ')
    .replace(/[. ]+$/, '');
  return new EngineRefusalError(`etcd refused "${operation}": ${text}. ${remedy}`, { cause: error });
}

function remedyFor(error: unknown): string | undefined {
  if (error instanceof GatewayError) {
    if (isNoGateway(error)) {
      return 'What answers there is not the JSON gateway of etcd 3.4 or later. Correct "endpoints", or set --enable-grpc-gateway.';
    }
    return REFUSALS.find(([pattern]) => pattern.test(error.message))?.[1];
  }
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code !== 'string' || !TLS_CODE.test(code)) return undefined;
  return 'Correct "endpoints" and "tls": the protocol, the authority (ca), the name (servername), the client certificate.';
}

function isNoGateway({ status, code }: GatewayError): boolean {
  return status === NOT_FOUND && code === undefined;
}
