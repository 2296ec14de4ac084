/** The shortest that leaves room for a busy machine and a disk that is synced: 150 + 2 * 350 + 50 <= 1500 - 100 - 250. */
export const TIMING = { leaseMs: 1500, renewMs: 150, requestTimeoutMs: 350, stopBudgetMs: 100 } as const;

/** Where a term must not end, however long the machine stands still: what is tested is what else could end it. */
export const STEADY = {
  timing: { ...TIMING, leaseMs: 10_000, requestTimeoutMs: 1000 },
  emptyStoreWaitMs: 0,
} as const;
