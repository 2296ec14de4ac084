/**
 * Calls code that only observes: what it throws, or rejects with later, is handed to `onThrown` and goes no further.
 * `onThrown` must not throw.
 */
export function callObserver(observe: () => unknown, onThrown: (error: unknown) => void): void {
  try {
    const result = observe();
    if (result !== undefined) Promise.resolve(result).catch(onThrown);
  } catch (error) {
    onThrown(error);
  }
}
