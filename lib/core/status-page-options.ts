import { InvalidOptionError } from './errors.js';
import { assertBoolean, assertCount, assertObject, isClass, rejectUnknownOptions } from './option-checks.js';
import { plainPath } from './plain-path.js';
import { hasMethod } from './property.js';

/** What decides who may see the status page: Nest's `CanActivate`. @publicApi */
export interface StatusPageGuard {
  canActivate(context: never): unknown;
}

/** A page that shows what this replica does. @publicApi */
export interface StatusPageOptions {
  /** Where the page is. @default 'lifecycle' */
  readonly path?: string;
  /**
   * Guards of the page and of everything below it, classes or instances, asked in this order: what they refuse answers nothing. What
   * a class injects has to be global, or in a module of `imports`. Without guards everybody who reaches the port sees the page.
   *
   * @default []
   */
  readonly guards?: readonly (StatusPageGuard | (new (...args: never[]) => StatusPageGuard))[];
  /** Let people step a leader down and restart a component from the page. Never without a guard. @default false */
  readonly actions?: boolean;
  /** Transitions that are kept and shown. @default 200 */
  readonly history?: number;
}

const DEFAULTS = { path: 'lifecycle', guards: [], actions: false, history: 200 } as const;
const MAX_HISTORY = 10_000;

/** @throws InvalidOptionError also for actions without a guard */
export function resolveStatusPageOptions(options: StatusPageOptions, where: string): Required<StatusPageOptions> {
  assertObject(
    'statusPage',
    options,
    where,
    "Write statusPage: { path: 'lifecycle', guards: [...] }, or leave it out.",
  );
  rejectUnknownOptions(options, Object.keys(DEFAULTS), `statusPage of ${where}`);
  assertBoolean('statusPage.actions', options.actions, where);
  assertCount('statusPage.history', options.history, 1, where);
  const { guards = DEFAULTS.guards, actions = DEFAULTS.actions, history = DEFAULTS.history } = options;
  if (history > MAX_HISTORY) {
    throw new InvalidOptionError({
      option: 'statusPage.history',
      value: history,
      where,
      expected: `at most ${MAX_HISTORY}`,
      remedy: 'The page is for what happens now; keep longer histories in logs and metrics.',
    });
  }
  assertGuards(guards, where);
  if (actions && guards.length === 0) {
    throw new InvalidOptionError({
      option: 'statusPage.actions',
      value: actions,
      where,
      expected: 'false while statusPage.guards is empty',
      remedy: 'Without a guard everybody who reaches the port could stop your work: add one to guards.',
    });
  }
  return { path: pathOf(options.path, where), guards, actions, history };
}

function pathOf(given: unknown, where: string): string {
  // `null` is refused as any other value that is no path.
  const path = plainPath(given === undefined ? DEFAULTS.path : given);
  if (path !== undefined) return path;
  throw new InvalidOptionError({
    option: 'statusPage.path',
    value: given,
    where,
    expected: 'a path of letters, digits, "-", "_", "." and "~", for example "lifecycle" or "internal/lifecycle"',
    remedy: 'Correct it.',
  });
}

function assertGuards(guards: unknown, where: string): void {
  const isGuard = (it: unknown) =>
    isClass(it)
      ? hasMethod((it as { prototype: object }).prototype, 'canActivate')
      : typeof it === 'object' && it !== null && hasMethod(it, 'canActivate');
  if (Array.isArray(guards) && guards.every(isGuard)) return;
  throw new InvalidOptionError({
    option: 'statusPage.guards',
    value: guards,
    where,
    expected: 'an array of guards: classes or instances with a canActivate() method',
    remedy: 'Write guards: [AdminGuard].',
  });
}
