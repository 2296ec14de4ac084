import { EngineAnswerError } from '../errors.js';
import type { AcquireResult, LeaseRecord, RenewResult } from './lease-store.js';

/** What was read, when it is a record that can be acted on. @throws EngineAnswerError */
export function checkedRecord(operation: string, answer: unknown): LeaseRecord {
  const record = asObject(operation, answer) as Partial<Record<string, unknown>>;
  switch (record['kind']) {
    case 'absent':
      break;
    case 'released':
    case 'vacant':
      checkToken(operation, record['token'], 'optional');
      break;
    case 'held':
      checkHeld(operation, record);
      break;
    default:
      throw new EngineAnswerError(operation, `"kind" is ${String(record['kind'])}`);
  }
  return answer as LeaseRecord;
}

/** @throws EngineAnswerError */
export function checkedAcquire(answer: unknown): AcquireResult {
  const result = asObject('acquire', answer) as { won?: unknown; token?: unknown; record?: unknown };
  if (result.won === true) checkToken('acquire', result.token, 'required');
  else if (result.won !== false) throw new EngineAnswerError('acquire', '"won" is neither true nor false');
  else if (result.record !== undefined) checkedRecord('acquire', result.record);
  return answer as AcquireResult;
}

/** @throws EngineAnswerError */
export function checkedRenew(answer: unknown): RenewResult {
  const result = asObject('renew', answer) as { renewed?: unknown; record?: unknown };
  if (typeof result.renewed !== 'boolean') throw new EngineAnswerError('renew', '"renewed" is neither true nor false');
  if (!result.renewed && result.record !== undefined) checkedRecord('renew', result.record);
  return answer as RenewResult;
}

function checkHeld(operation: string, record: Partial<Record<string, unknown>>): void {
  const { holder, leaseMs, remainingMs, version, token } = record;
  checkToken(operation, token, 'optional');
  if (typeof holder !== 'string' || holder === '') throw new EngineAnswerError(operation, '"holder" is no name');
  if (typeof leaseMs !== 'number' || !(leaseMs > 0)) throw new EngineAnswerError(operation, '"leaseMs" is no duration');
  if (remainingMs === undefined && version === undefined) {
    throw new EngineAnswerError(operation, 'it has neither "remainingMs" nor "version"');
  }
  if (remainingMs !== undefined && (typeof remainingMs !== 'number' || Number.isNaN(remainingMs))) {
    throw new EngineAnswerError(operation, '"remainingMs" is no duration');
  }
}

function checkToken(operation: string, token: unknown, need: 'required' | 'optional'): void {
  if (typeof token === 'bigint' || (token === undefined && need === 'optional')) return;
  throw new EngineAnswerError(operation, `"token" is a ${typeof token}, not a bigint`);
}

function asObject(operation: string, answer: unknown): object {
  if (typeof answer === 'object' && answer !== null) return answer;
  throw new EngineAnswerError(operation, `it is ${answer === null ? 'null' : `a ${typeof answer}`}`);
}
