import type { Clock } from '../core/clock.js';
import { StopFailedError, type LifecycleError } from '../core/errors.js';
import type { ManagedComponent, Retirement } from './managed-component.js';
import type { RestStatus } from './start-request.js';

/** How components are ended. */
export interface StopOrder {
  readonly rest: RestStatus;
  /** For the reason of the runs' signals. */
  readonly why: string;
  /** For all of them together, in milliseconds. */
  readonly budgetMs: number;
}

/**
 * Ends components: dependents before their dependencies, independent ones at once. From this tick on nothing begins for
 * what they were asked before; what they are asked meanwhile is not touched.
 *
 * @param components each after everything it depends on
 * @throws StopFailedError when some did not stop cleanly or in time, after all had their turn
 */
export async function stopInOrder(
  components: readonly ManagedComponent[],
  { rest, why, budgetMs }: StopOrder,
  clock: Clock,
): Promise<void> {
  const deadline = clock.now() + budgetMs;
  const dependentsFirst = components.toReversed();
  // All before the first is told: one that waits for its turn must neither be started again, nor pass for running
  // when the same components are started anew meanwhile.
  const retired = dependentsFirst.map((it) => it.retire(rest));
  const ends = new Map<ManagedComponent, Promise<LifecycleError | undefined>>();
  for (const [index, component] of dependentsFirst.entries()) {
    const end = () => component.end(retired[index] as Retirement, why, deadline - clock.now());
    const dependents = endsOf(component.dependents, ends);
    // Without dependents its signal is aborted in this very tick.
    ends.set(component, dependents === undefined ? end() : dependents.then(end));
  }
  const errors: LifecycleError[] = [];
  // None of them rejects.
  for (const end of ends.values()) {
    const error = await end;
    if (error !== undefined) errors.push(error);
  }
  if (errors.length > 0) throw new StopFailedError(errors);
}

type Ends = ReadonlyMap<ManagedComponent, Promise<LifecycleError | undefined>>;

/** Resolves when all of them have ended; `undefined` when there are none. */
function endsOf(components: readonly ManagedComponent[], ends: Ends): Promise<unknown> | undefined {
  if (components.length === 0) return undefined;
  const theirs = components.flatMap((it) => ends.get(it) ?? []);
  return theirs.length === 0 ? undefined : Promise.all(theirs);
}
