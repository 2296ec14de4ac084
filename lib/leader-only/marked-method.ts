/** Fixed strings: when two copies of this package are loaded, each reads what the other wrote. */
const METHOD_KEY = 'nestjs-lifecycle:leader-only';
const METHODS_KEY = 'nestjs-lifecycle:leader-only-methods';

/** A method that was marked with `@LeaderOnly()`. */
export interface MarkedMethod {
  /** Class and method, for people. */
  readonly name: string;
  readonly election: string;
  /** How long a caller of a handler is told to wait, in milliseconds. */
  readonly retryAfterMs: number;
  /** Whether a promise is expected of it. */
  readonly returnsPromise: boolean;
  /**
   * Nest calls it as a handler, as its guard has seen: somebody waits for an answer, so that to skip it in silence would
   * be a lie.
   */
  isHandler: boolean;
}

/** Notes a marked method on its function, and on the prototype that has it. */
export function recordMarkedMethod(prototype: object, method: object, marked: MarkedMethod): void {
  Reflect.defineMetadata(METHOD_KEY, marked, method);
  Reflect.defineMetadata(METHODS_KEY, [...ownMarkedMethods(prototype), marked], prototype);
}

export function readMarkedMethod(method: object): MarkedMethod | undefined {
  return Reflect.getOwnMetadata(METHOD_KEY, method) as MarkedMethod | undefined;
}

/** All of an object, inherited and overridden ones too. An object whose traps throw has none. */
export function markedMethodsOf(instance: unknown): MarkedMethod[] {
  if ((typeof instance !== 'object' || instance === null) && typeof instance !== 'function') return [];
  const found: MarkedMethod[] = [];
  try {
    let prototype: unknown = Object.getPrototypeOf(instance);
    while (typeof prototype === 'object' && prototype !== null) {
      found.push(...ownMarkedMethods(prototype));
      prototype = Object.getPrototypeOf(prototype);
    }
  } catch {
    // A proxy whose traps throw.
  }
  return found;
}

function ownMarkedMethods(prototype: object): readonly MarkedMethod[] {
  return (Reflect.getOwnMetadata(METHODS_KEY, prototype) ?? []) as readonly MarkedMethod[];
}
