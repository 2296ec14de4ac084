/** Short leases that leave room for a busy machine: 150 + 2 * 250 + 50 <= 1500 - 150 - 250. */
export const TIMING = { leaseMs: 1500, renewMs: 150, requestTimeoutMs: 250, stopBudgetMs: 150 } as const;
