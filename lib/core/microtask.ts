const RESOLVED = Promise.resolve();

/** Calls `fn`, which must not throw, in a microtask: by a promise, since `queueMicrotask()` is what tests replace. */
export function soon(fn: () => void): void {
  void RESOLVED.then(fn);
}
