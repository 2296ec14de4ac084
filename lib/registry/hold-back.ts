import type { ComponentSnapshot } from './component-snapshot.js';

/** A component that is not coming up, and what keeps it from that, if it waits itself. */
interface HeldBack {
  readonly snapshot: ComponentSnapshot;
  readonly blockers: readonly this[];
}

/** More names than that help nobody. */
const MAX_NAMED = 3;

/**
 * Who is to blame that dependencies are not coming up: they themselves, or what holds them back in turn, so that the
 * last one of a long chain names the one that failed and not its neighbour.
 */
export function heldBackBy<T extends HeldBack>(
  dependencies: readonly T[],
): { readonly blockers: readonly T[]; readonly error: Error | undefined } {
  if (dependencies.length === 0) return { blockers: [], error: undefined };
  const blockers = [...new Set(dependencies.flatMap((it) => (it.blockers.length > 0 ? it.blockers : [it])))];
  const named = blockers.slice(0, MAX_NAMED).map(({ snapshot: { info } }) => {
    return `"${info.name}" (${info.status}${info.error === undefined ? '' : `: ${info.error}`})`;
  });
  const more = blockers.length > MAX_NAMED ? ` and ${blockers.length - MAX_NAMED} more` : '';
  return { blockers, error: new Error(`waits for ${named.join(' and ')}${more}`) };
}
