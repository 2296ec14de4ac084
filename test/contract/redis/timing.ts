/** The shortest that leaves room for a busy machine: 120 + 2 * 180 + 50 <= 1000 - 100 - 250. */
export const TIMING = { leaseMs: 1000, renewMs: 120, requestTimeoutMs: 180, stopBudgetMs: 100 } as const;

/** Where a term must not end, however long the machine stands still: what is tested is what else could end it. */
export const STEADY = {
  timing: { ...TIMING, leaseMs: 10_000, requestTimeoutMs: 1000 },
  emptyStoreWaitMs: 0,
} as const;
