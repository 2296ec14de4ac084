/** As short as this elector allows. */
export const TIMING = { leaseMs: 4000, renewMs: 1000, requestTimeoutMs: 600, stopBudgetMs: 100 } as const;
