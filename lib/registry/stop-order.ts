import type { Clock } from '../core/clock.js';
import { StopFailedError, type LifecycleError } from '../core/errors.js';
import type { ManagedComponent } from './managed-component.js';
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
  const retired = new Map(dependentsFirst.map((it) => [it, it.retire(rest)]));
  const ends = new Map<ManagedComponent, Promise<LifecycleError | undefined>>();
  for (const [component, retirement] of retired) {
    const dependents = component.dependents.flatMap((it) => ends.get(it) ?? []);
    const end = () => component.end(retirement, why, deadline - clock.now());
    // Without dependents its signal is aborted in this very tick.
    ends.set(component, dependents.length === 0 ? end() : Promise.all(dependents).then(end));
  }
  const errors = (await Promise.all(ends.values())).filter((it) => it !== undefined);
  if (errors.length > 0) throw new StopFailedError(errors);
}
