/**
 * One promise of a contract, as a test for any runner:
 *
 * ```ts
 * for (const it of electorContract(fixture)) test(it.name, it.run, it.timeoutMs);
 * ```
 *
 * Each case opens an arena of its own, so cases may run in any order, and side by side if arenas can.
 *
 * @publicApi
 */
export interface ContractCase {
  /** A fact that holds for everything that keeps the contract. */
  readonly name: string;
  /** Real time that the runner should give it, in milliseconds: the fixture's `timeoutMs`. */
  readonly timeoutMs: number;
  /** @throws AssertionError of `node:assert`, or what the arena throws, when the promise is not kept */
  run(): Promise<void>;
}

/** Real time that a case may take, unless the fixture says otherwise, in milliseconds. */
export const CASE_TIMEOUT_MS = 60_000;
