/** What to try, for the terminal. */
export function hints(base: string): string {
  return `
  The order feed is up. In another terminal:

    curl ${base}/orders               totals of the orders so far
    curl ${base}/health               every component and the election
    curl ${base}/health/ready         (also /live and /startup) what an orchestrator asks

    curl -X POST ${base}/demo/fail    a component fails and is restarted
    curl -X POST ${base}/demo/stall   a component stalls and is restarted
    curl ${base}/incidents            what went wrong so far

  Ctrl-C stops it in order.
`;
}
