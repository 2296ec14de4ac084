import { InvalidOptionError } from './errors.js';

/** Longest duration that a Node timer takes. */
const MAX_DURATION_MS = 2 ** 31 - 1;

/** @throws InvalidOptionError unless absent or a boolean */
export function assertBoolean(option: string, value: unknown, where?: string): void {
  if (value === undefined || typeof value === 'boolean') return;
  fail(option, value, 'true or false', 'Use a boolean.', where);
}

/** @throws InvalidOptionError unless absent or a function */
export function assertFunction(option: string, value: unknown, where?: string): void {
  if (value === undefined || typeof value === 'function') return;
  fail(option, value, 'a function', 'Pass a function, or leave it out.', where);
}

/** @throws InvalidOptionError unless absent or one of `allowed` */
export function assertOneOf(option: string, value: unknown, allowed: readonly string[], where?: string): void {
  if (value === undefined || (typeof value === 'string' && allowed.includes(value))) return;
  fail(option, value, `one of ${allowed.map((it) => `"${it}"`).join(', ')}`, 'Use one of these.', where);
}

/** A time limit: more than 0 ms. @throws InvalidOptionError */
export function assertTimeout(option: string, value: unknown, where?: string): void {
  if (value === undefined || (isDuration(value) && value > 0)) return;
  fail(option, value, `milliseconds, more than 0 and at most ${MAX_DURATION_MS}`, hintFor(value), where);
}

/** A waiting time: 0 ms or more. @throws InvalidOptionError */
export function assertDuration(option: string, value: unknown, where?: string): void {
  if (value === undefined || isDuration(value)) return;
  fail(option, value, `milliseconds, from 0 to ${MAX_DURATION_MS}`, hintFor(value), where);
}

/** @throws InvalidOptionError unless absent or an integer of at least `least` */
export function assertCount(option: string, value: unknown, least: number, where?: string): void {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= least)) return;
  fail(option, value, `an integer of at least ${least}`, 'Use a whole number.', where);
}

/** @throws InvalidOptionError unless absent or a text with something in it */
export function assertNonEmptyString(option: string, value: unknown, where?: string): void {
  if (value === undefined || (typeof value === 'string' && value.trim() !== '')) return;
  fail(option, value, 'a text that is not empty', 'Pass a string, or leave it out.', where);
}

/** @throws InvalidOptionError unless an object */
export function assertObject(option: string, value: unknown, where?: string, remedy = 'Pass an object.'): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  fail(option, value, 'an object', remedy, where);
}

/** @throws InvalidOptionError unless absent or an object with all these methods */
export function assertMethods(option: string, value: unknown, methods: readonly string[], where?: string): void {
  if (value === undefined) return;
  const its = value as Readonly<Record<string, unknown>> | null;
  if (methods.every((method) => typeof its?.[method] === 'function')) return;
  fail(
    option,
    value,
    `an object with ${methods.map((it) => `${it}()`).join(', ')}`,
    'Pass one, or leave it out.',
    where,
  );
}

/** A class, or a function that may be one; not an arrow function. */
export function isClass(value: unknown): boolean {
  return typeof value === 'function' && typeof value.prototype === 'object' && value.prototype !== null;
}

/** An option that is not known is a typing error that would silently do nothing. @throws InvalidOptionError */
export function rejectUnknownOptions(options: object, known: readonly string[], where?: string): void {
  for (const option of Object.keys(options)) {
    if (known.includes(option)) continue;
    const value = (options as Record<string, unknown>)[option];
    fail(option, value, `no such option (known: ${known.join(', ')})`, 'Correct its name, or remove it.', where);
  }
}

/** Options that were given: one that is `undefined` must not hide a default when spread over it. */
export function definedOnly<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= MAX_DURATION_MS;
}

function hintFor(value: unknown): string {
  return typeof value === 'string'
    ? 'Durations are numbers of milliseconds: 5000, not "5s".'
    : 'Durations are numbers of milliseconds, for example 5000.';
}

function fail(option: string, value: unknown, expected: string, remedy: string, where: string | undefined): never {
  throw new InvalidOptionError({ option, value, expected, remedy, ...(where !== undefined && { where }) });
}
