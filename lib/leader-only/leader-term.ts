import type { LeadershipTerm } from '../core/elector.js';
import { OutsideOfTermError } from '../core/errors.js';
import { currentRunContext } from '../core/run-context.js';

/**
 * The term that the calling code runs under: in a method marked with `@LeaderOnly()`, in what a leader-only component
 * runs, and in all that these call. Hand its signal on, check it before each side effect, send its fencing token along.
 *
 * @throws OutsideOfTermError everywhere else
 * @publicApi
 */
export function leaderTerm(): LeadershipTerm {
  const term = currentRunContext()?.term;
  if (term === undefined) throw new OutsideOfTermError();
  return term;
}
