import { EngineAnswerError } from '../../core/errors.js';
import type { LeaseRecord } from '../../core/lease/lease-store.js';

/** What a script answered, as texts: clients may make numbers or buffers of them. @throws EngineAnswerError */
export function replyParts(operation: string, reply: unknown): readonly string[] {
  if (Array.isArray(reply)) return reply.map(String);
  throw new EngineAnswerError(operation, 'it is not a list');
}

/** A state as the scripts answer it. @throws EngineAnswerError */
export function recordOf(operation: string, state: readonly string[]): LeaseRecord {
  const [
    kind = 'nothing',
    token = '',
    version = '',
    holder = '',
    leaseMs = '',
    identity = '',
    address = '',
    leftMs = '',
  ] = state;
  const tokenPart = token !== '' && { token: tokenOf(operation, token) };
  switch (kind) {
    case 'absent':
      return { kind };
    case 'released':
    case 'vacant':
      return { kind, ...tokenPart };
    case 'held': {
      const remainingMs = Number(leftMs);
      return {
        kind,
        ...tokenPart,
        holder,
        identity,
        leaseMs: Number(leaseMs),
        ...(version !== '' && { version }),
        ...(address !== '' && { address }),
        // A lease that somebody made permanent is judged by its version alone.
        ...(remainingMs >= 0 && { remainingMs }),
      };
    }
    default:
      throw new EngineAnswerError(operation, `the state is "${kind}"`);
  }
}

/** @throws EngineAnswerError */
export function tokenOf(operation: string, text: string | undefined): bigint {
  if (text !== undefined && /^\d+$/.test(text)) return BigInt(text);
  throw new EngineAnswerError(operation, `the token is "${text}"`);
}
