import { LeaderOnlyUseError } from '../core/errors.js';
import { readMarkedMethod } from './marked-method.js';

export type Method = (...args: never[]) => unknown;

/** What a function has of its own and cannot be given to another one. */
const INTRINSIC: readonly PropertyKey[] = ['prototype', 'arguments', 'caller'];

/** Class and method, for people. */
export function placeOf(prototype: object, name: string | symbol): string {
  const owner: unknown = typeof prototype === 'function' ? prototype : prototype.constructor;
  return `${typeof owner === 'function' && owner.name !== '' ? owner.name : 'A class'}.${String(name)}`;
}

/**
 * The method that a decorator stands on.
 *
 * @throws LeaderOnlyUseError when it stands on anything else, or on a method that it cannot keep within a term
 */
export function methodToMark<T extends Method>(
  prototype: object,
  name: string | symbol,
  // Without types, or on a property, there is none.
  descriptor: TypedPropertyDescriptor<T> | undefined,
): T {
  const method = descriptor?.value;
  const problem = problemOf(prototype, descriptor, method);
  if (problem !== undefined) {
    throw new LeaderOnlyUseError(`@LeaderOnly() cannot stand on ${placeOf(prototype, name)}: ${problem}`);
  }
  return method as T;
}

function problemOf(
  prototype: unknown,
  descriptor: PropertyDescriptor | undefined,
  method: unknown,
): string | undefined {
  if (typeof prototype === 'function') {
    return 'it belongs to the class, of which there may be one for several apps. Make it a method of instances.';
  }
  if (descriptor !== undefined && ('get' in descriptor || 'set' in descriptor))
    return 'it is an accessor. Make it a method.';
  if (typeof method !== 'function') return 'it is no method. Write "name() { ... }", also for an arrow function.';
  if (isGenerator(method)) {
    return 'a generator runs after its call has returned, whoever leads then. Let a method iterate over it.';
  }
  if (readMarkedMethod(method) !== undefined) return 'it is marked already. Name one election, once.';
  return undefined;
}

/** Whether callers can count on a promise, as far as can be seen. */
export function returnsPromise(method: Method, prototype: object, name: string | symbol): boolean {
  return kindOf(method) === 'AsyncFunction' || Reflect.getMetadata('design:returntype', prototype, name) === Promise;
}

/** Gives a function all that others may look for on the one that it stands in for: name, length, properties, metadata. */
export function disguiseAs(original: Method, standIn: Method): void {
  for (const key of Reflect.ownKeys(original)) {
    const property = Object.getOwnPropertyDescriptor(original, key);
    if (property !== undefined && !INTRINSIC.includes(key)) Object.defineProperty(standIn, key, property);
  }
  for (const key of Reflect.getOwnMetadataKeys(original)) {
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, original), standIn);
  }
}

function isGenerator(method: object): boolean {
  const kind = kindOf(method);
  return kind === 'GeneratorFunction' || kind === 'AsyncGeneratorFunction';
}

function kindOf(method: object): string {
  return Object.prototype.toString.call(method).slice('[object '.length, -1);
}
