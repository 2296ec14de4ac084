/** Short leases that leave room for a busy machine: 150 + 2 * 250 + 50 <= 1500 - 150 - 250. */
export const TIMING = { leaseMs: 1500, renewMs: 150, requestTimeoutMs: 250, stopBudgetMs: 150 } as const;

/** Where a term must not end, however long the machine stands still: what is tested is what else could end it. */
export const STEADY = {
  timing: { ...TIMING, leaseMs: 10_000, requestTimeoutMs: 1000 },
  emptyStoreWaitMs: 0,
} as const;
