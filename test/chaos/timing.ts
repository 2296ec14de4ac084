/**
 * Times of the replicas: short, so that many terms fit in a minute. Stop budget and margin (100 + 250 ms) are together
 * shorter than a request may take (600 ms): a deadline that is counted from the reply would be found out.
 */
export const LEASE_MS = 2000;
export const TIMING = { leaseMs: LEASE_MS, renewMs: 300, requestTimeoutMs: 600, stopBudgetMs: 100 } as const;
export const MARGIN_MS = 250;

/** Somebody leads this long after the last fault was healed, in milliseconds. */
export const LEADER_WITHIN_MS = 2 * LEASE_MS + 2000;
/** More than that after a loss of data: an empty store is not believed before a lease has passed. */
export const DATA_LOSS_EXTRA_MS = LEASE_MS;
/** What a process takes at most from SIGTERM to its end: work, release, close, each bounded by the library. */
export const EXIT_WITHIN_MS = 15_000;
