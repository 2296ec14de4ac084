import { EngineRefusalError, EngineStandbyError, LifecycleError } from '../../core/errors.js';
import { errorText } from '../../core/error-text.js';

/** What a replica answers, and in a failover what was the primary. */
const READ_ONLY = /\bREADONLY\b/;

/** What Redis answers until somebody acts, and what has to be done. The first that matches counts. */
const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/\bNOAUTH\b|\boperation not permitted\b/, 'The server asks for a password. Give one in the URL or the options.'],
  [/\bWRONGPASS\b|\binvalid password\b/, 'Correct the user name and the password.'],
  [
    /\bNOPERM\b|user executing the script can't run/,
    'Let this user run eval, time, hmget, hget, hset, hincrby, exists, pttl, pexpire, persist, del, publish and ' +
      'subscribe on the keys and channels of this namespace; docs/redis.md has the ACL rule.',
  ],
  [
    /\bOOM\b/,
    'The server has reached its maxmemory and takes no writes. Raise maxmemory, or free memory; keep the policy noeviction.',
  ],
  [
    /\bMISCONF\b/,
    'The server takes no writes because it cannot save its data. See its log; most often the disk is full.',
  ],
  [
    /\bWRONGTYPE\b/,
    'Something else has written to the keys of this election. Delete these keys, or use another namespace or keyPrefix.',
  ],
  [/^MOVED\b/, 'This server is a node of a cluster. Pass a client for clusters as "client".'],
  [
    /\bunknown command\b|\bunknown redis command\b/i,
    'Scripts need the commands EVAL, TIME, HSET, PEXPIRE and PERSIST of Redis 5 or later. Do not disable or rename them.',
  ],
  [/\bDB index is out of range\b/, 'Use a database that the server has.'],
  [
    /subscriber mode|monitoring mode/i,
    'The client given as "client" is subscribed to something. Pass one of its own for commands, the other as "subscriber".',
  ],
];

/** A refusal when nothing but somebody's action will change it; else an error that is tried again. */
export function asEngineError(operation: string, error: unknown): unknown {
  if (error instanceof LifecycleError) return error;
  const text = errorText(error).replace(/\.+$/, '');
  if (READ_ONLY.test(text)) return new EngineStandbyError('Redis', { cause: error });
  const found = REFUSALS.find(([pattern]) => pattern.test(text));
  if (found === undefined) return error;
  return new EngineRefusalError(`Redis refused "${operation}": ${text}. ${found[1]}`, { cause: error });
}
