/**
 * Reads a property of what users hand in, as `object[key]` does. The engine keeps nothing about the class for it: of
 * thousands of classes each is looked at once, and what `object.key` would prepare for the next time is never used.
 */
export function readProperty(object: object, key: PropertyKey): unknown {
  return Reflect.get(object, key);
}

/** Whether an object has a method, its own or inherited. Throws what a getter or a proxy throws. */
export function hasMethod(object: object, key: PropertyKey): boolean {
  return typeof readProperty(object, key) === 'function';
}
