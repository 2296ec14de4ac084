import type { ErrorFields } from './error-fields.js';

/** How lines are given to the logger: as text, or as an object of fields. @publicApi */
export type LogFormat = 'text' | 'fields';

/**
 * One fact as fields: what a logger gets instead of a text where `logFormat` is `'fields'`. Every value can be written as
 * JSON. Fields without a value are left out; there are others besides those named here.
 *
 * @publicApi
 */
export interface LogLine {
  /** The fact as one line for people: what the text format has. */
  readonly message: string;
  /** Which kind of fact: the name of the event, where one tells of it. */
  readonly event: string;
  readonly component?: string;
  readonly election?: string;
  /** In decimal: JSON knows no `bigint`. */
  readonly fencingToken?: string;
  readonly identity?: string;
  /** In whole milliseconds. */
  readonly durationMs?: number;
  readonly error?: ErrorFields;
  /** How many lines like this one were left out since the last. */
  readonly repeated?: number;
  readonly [field: string]: unknown;
}

/** What ends a line, or moves the cursor of a terminal; a tab does neither. */
const CONTROL = /(?!\t)[\p{Cc}\u2028\u2029]/u;
const EVERY_CONTROL = new RegExp(CONTROL, 'gu');
const CONTROL_IN_LINES = /(?![\t\n])[\p{Cc}\u2028\u2029]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r' };

/** Names and error texts are anybody's: what they contain must not look like a line of its own. */
export function oneLine(text: string): string {
  return CONTROL.test(text) ? text.replace(EVERY_CONTROL, escaped) : text;
}

/** A stack has lines, and begins with a message that may have some too: each but the first is indented. */
export function indentedStack(stack: string): string {
  return stack.replace(CONTROL_IN_LINES, escaped).replace(/\n(?![ \t])/g, '\n    ');
}

function escaped(character: string): string {
  return SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
