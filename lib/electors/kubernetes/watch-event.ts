import { EngineAnswerError } from '../../core/errors.js';
import { leaseObjectOf, type LeaseObject } from './lease-object.js';

/** What a watch tells. */
export type WatchEvent =
  | { readonly type: 'written' | 'deleted'; readonly lease: LeaseObject }
  /** Nothing has happened up to that version. */
  | { readonly type: 'bookmark'; readonly resourceVersion: string }
  /** The stream goes no further. */
  | { readonly type: 'error'; readonly status: number; readonly message: string }
  | { readonly type: 'unknown' };

/** @throws EngineAnswerError */
export function watchEventOf(line: string): WatchEvent {
  const { type, object } = parsed(line);
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      return { type: 'written', lease: leaseObjectOf('watch', object) };
    case 'DELETED':
      return { type: 'deleted', lease: leaseObjectOf('watch', object) };
    case 'BOOKMARK': {
      const { metadata } = (object ?? {}) as { metadata?: { resourceVersion?: unknown } };
      const version = metadata?.resourceVersion;
      return { type: 'bookmark', resourceVersion: typeof version === 'string' ? version : '' };
    }
    case 'ERROR': {
      const { code, message } = (object ?? {}) as { code?: unknown; message?: unknown };
      const text = typeof message === 'string' ? message : 'without a message';
      return { type: 'error', status: Number(code ?? 500), message: text };
    }
    default:
      return { type: 'unknown' };
  }
}

function parsed(line: string): { readonly type?: unknown; readonly object?: unknown } {
  try {
    return JSON.parse(line) as { type?: unknown; object?: unknown };
  } catch {
    throw new EngineAnswerError('watch', 'a line is no JSON');
  }
}
