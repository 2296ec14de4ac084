/**
 * What `EventBus.subscribe()` returns: the payloads of one event, for `for await`. Meant for one reader; two would share
 * the events between them.
 *
 * It holds its place in the bus until it ends: by `break`, `return()`, an error in the loop, the signal, or the close of
 * the bus. Without a signal, one that is never read holds it for as long as the bus is there.
 *
 * @publicApi
 */
export interface EventSubscription<T> extends AsyncIterableIterator<T, void, void> {
  /** Events in the buffer, not read yet. */
  readonly depth: number;
  /** Events that this reader has missed, ever, because its buffer was full. */
  readonly dropped: number;
  next(): Promise<IteratorResult<T, void>>;
  /** Ends it and discards what is in the buffer. Idempotent. */
  return(): Promise<IteratorResult<T, void>>;
  [Symbol.asyncIterator](): this;
}

/** What a subscription of the `EventBus` begins with, and what ends it. @publicApi */
export interface SubscribeOptions {
  /**
   * Ends the subscription when it aborts: the loop ends without an error, and events that are still in the buffer are
   * discarded, because a run that must end must not begin on anything new.
   */
  readonly signal?: AbortSignal;
  /**
   * Gives a late subscriber the current leadership first: for `lifecycle.leadership.*`, the last event of each election
   * that is still true (an acquired only while no lost has followed it, and the other way round). Nothing is delivered
   * twice: what a pause holds back comes later. Other events have no current state. @default false
   */
  readonly current?: boolean;
}
