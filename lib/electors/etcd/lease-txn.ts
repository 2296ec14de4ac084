import { EngineAnswerError } from '../../core/errors.js';
import { isObject } from './gateway-error.js';
import { recordOf, type KeyVersion } from './lease-value.js';

/** A condition of a transaction, on one key. */
export type Comparison = Readonly<Record<string, string>>;

/** What became of a write that had a condition: done, with the revision that it got; or what is there instead. */
export type WriteOutcome =
  | { readonly written: true; readonly revision: string }
  | { readonly written: false; readonly found: ReturnType<typeof recordOf> };

/** There is no such key. */
export function ifAbsent(key: string): Comparison[] {
  return [{ key, target: 'CREATE', result: 'EQUAL', create_revision: '0' }];
}

/** Nothing was written since. */
export function ifUnchanged(key: string, { revision, value }: KeyVersion): Comparison[] {
  return [{ key, target: 'MOD', result: 'EQUAL', mod_revision: revision }, ...ifValue(key, value)];
}

export function ifValue(key: string, value: string): Comparison[] {
  return [{ key, target: 'VALUE', result: 'EQUAL', value }];
}

/** It is there and is not. */
export function never(key: string): Comparison[] {
  return [...ifAbsent(key), { key, target: 'CREATE', result: 'GREATER', create_revision: '0' }];
}

/** Writes if all of that holds, else reads: one step in etcd. */
export function writeIf(key: string, compare: readonly Comparison[], value: string): object {
  return {
    compare,
    success: [{ request_put: { key, value } }],
    failure: [{ request_range: { key } }],
  };
}

/** @throws EngineAnswerError */
export function outcomeOf(operation: string, body: unknown): WriteOutcome {
  const { succeeded, header, responses } = isObject(body) ? body : {};
  if (succeeded === true) {
    const revision = isObject(header) ? header['revision'] : undefined;
    if (typeof revision === 'string') return { written: true, revision };
    throw new EngineAnswerError(operation, 'it has no revision');
  }
  const [response]: unknown[] = Array.isArray(responses) ? responses : [];
  const range = isObject(response) ? response['response_range'] : undefined;
  if (!isObject(range)) throw new EngineAnswerError(operation, 'it is neither done nor refused');
  return { written: false, found: foundIn(operation, range) };
}

/** What a range of one key has found. @throws EngineAnswerError */
export function foundIn(operation: string, range: unknown): ReturnType<typeof recordOf> {
  if (!isObject(range)) throw new EngineAnswerError(operation, 'it is not an object');
  const { kvs } = range;
  // The gateway leaves out what is empty.
  if (kvs === undefined) return recordOf(operation, undefined);
  if (!Array.isArray(kvs)) throw new EngineAnswerError(operation, '"kvs" is not a list');
  return recordOf(operation, kvs[0]);
}
