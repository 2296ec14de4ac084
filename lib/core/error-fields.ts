import { errorText } from './error-text.js';

/** What was thrown, as fields. @publicApi */
export interface ErrorFields {
  /** Of its class; what kind of value it was, when it is no error. */
  readonly name: string;
  readonly message: string;
  readonly code?: string | number;
}

/** Reads what was thrown; anything can be thrown. Never throws, and the result is safe to be written as JSON. */
export function errorFields(error: unknown): ErrorFields {
  const message = errorText(error);
  try {
    if (typeof error !== 'object' || error === null) return { name: error === null ? 'null' : typeof error, message };
    const { name, code } = error as { name?: unknown; code?: unknown };
    const isCode = typeof code === 'string' || typeof code === 'number';
    return { name: typeof name === 'string' ? name : 'object', message, ...(isCode && { code }) };
  } catch {
    // A getter or a proxy that throws: the text has to do.
    return { name: 'object', message };
  }
}
