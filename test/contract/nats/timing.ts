/** The shortest that leaves room for a busy machine: 120 + 2 * 180 + 50 <= 1000 - 100 - 250. */
export const TIMING = { leaseMs: 1000, renewMs: 120, requestTimeoutMs: 180, stopBudgetMs: 100 } as const;
