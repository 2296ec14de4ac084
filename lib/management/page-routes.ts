import { settlesWithin, type Clock } from '../core/clock.js';
import { InvalidOptionError } from '../core/errors.js';
import type { LifecycleObserver, ObserverPage } from '../core/lifecycle-observer.js';
import { plainPath } from '../core/plain-path.js';
import { bareAnswer, type ManagementAnswer } from './management-answer.js';
import { readRoute, type ManagementRoute } from './management-route.js';

/** A page that is not made by then is given up. */
const RENDER_LIMIT_MS = 10_000;

export interface PageSource {
  readonly observers: readonly LifecycleObserver[];
  /** Whether the observers know their app. */
  readonly isAttached: () => boolean;
  readonly clock: Clock;
}

/**
 * A route for each page of the observers.
 *
 * @throws InvalidOptionError
 */
export function pageRoutes({ observers, isAttached, clock }: PageSource): ManagementRoute[] {
  return observers.flatMap((observer) =>
    (observer.pages ?? []).map((page) => {
      const owner = `a page of observer ${nameOf(observer)}`;
      const path = plainPath(page.path);
      if (path === undefined) throw badPath(page, owner);
      // Before that it has nothing to show, and need not be able to say so.
      return readRoute(path, owner, async () => (isAttached() ? rendered(page, clock) : bareAnswer(503)));
    }),
  );
}

async function rendered(page: ObserverPage, clock: Clock): Promise<ManagementAnswer> {
  const rendering = page.render();
  if (!(await settlesWithin(clock, rendering, RENDER_LIMIT_MS, { background: true }))) {
    throw new Error(`The page was not rendered within ${RENDER_LIMIT_MS} ms`);
  }
  const { contentType, body } = await rendering;
  return { status: 200, contentType, body };
}

function nameOf(observer: LifecycleObserver): string {
  // An object without a prototype has no constructor.
  return (observer as Partial<LifecycleObserver>).constructor?.name ?? 'object';
}

function badPath(page: ObserverPage, owner: string): InvalidOptionError {
  return new InvalidOptionError({
    option: 'observers',
    value: page.path,
    where: `LifecycleModule, as the path of ${owner}`,
    expected: 'a path of letters, digits, "-", "_", "." and "~", for example "metrics"',
    remedy: 'Correct the path of the page.',
  });
}
