import type {
  Component,
  ComponentClass,
  ComponentInfo,
  ComponentOptions,
  ComponentRef,
  Criticality,
  RestartMode,
  RestartOptions,
  UnhealthyAction,
} from '../core/component.js';
import { DEFAULT_ELECTION } from '../core/elector.js';
import { InvalidComponentError } from '../core/errors.js';
import { assertElectionName } from '../core/names.js';
import {
  assertBoolean,
  assertFunction,
  assertOneOf,
  assertTimeout,
  isClass,
  rejectUnknownOptions,
} from '../core/option-checks.js';
import { hasMethod, readProperty } from '../core/property.js';
import { resolveRestartOptions } from './restart-policy.js';

/** Options of `registry.register()`. @publicApi */
export interface RegisterOptions extends ComponentOptions {
  /**
   * `false`: never started and not in `status()`. What depends on it behaves as if it depended on the dependencies of
   * this one instead.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /** Where the component comes from, for error messages. @default the class name */
  readonly origin?: string;
  /** A class that stands for the component in `dependsOn`, besides those that it is an instance of. */
  readonly providedAs?: ComponentClass;
}

/** What a definition takes from its registry when the component's own options are silent. */
export interface DefinitionDefaults {
  readonly startTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly restart: RestartOptions;
}

/** A component with every option decided. */
export interface ComponentDefinition {
  readonly component: Component;
  readonly name: string;
  readonly origin: string;
  readonly providedAs: ComponentClass | undefined;
  readonly enabled: boolean;
  readonly leaderOnly: boolean;
  /** `undefined` for components that run on every replica. */
  readonly election: string | undefined;
  readonly dependsOn: readonly ComponentRef[];
  readonly criticality: Criticality;
  readonly completes: boolean;
  readonly restart: RestartOptions & { readonly mode: RestartMode };
  readonly startTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly onUnhealthy: UnhealthyAction;
  readonly onError: ((error: unknown, info: ComponentInfo) => void) | undefined;
}

const NO_DEPENDENCIES: readonly ComponentRef[] = [];

const OPTION_NAMES: readonly (keyof RegisterOptions)[] = [
  'name',
  'leaderOnly',
  'election',
  'enabled',
  'dependsOn',
  'criticality',
  'completes',
  'restart',
  'startTimeoutMs',
  'stopTimeoutMs',
  'onUnhealthy',
  'onError',
  'origin',
  'providedAs',
];

/**
 * Checks a component and its options, and decides every one of them.
 *
 * @throws InvalidComponentError, InvalidOptionError
 */
export function defineComponent(
  component: Component,
  options: RegisterOptions,
  defaults: DefinitionDefaults,
): ComponentDefinition {
  assertOptions(options, component);
  const origin = options.origin ?? describe(component);
  assertStartable(component, origin);
  const name = nameOf(component, options, origin);
  const where = `component "${name}" (${origin})`;
  checkOptions(options, where);
  const leaderOnly = options.leaderOnly ?? false;
  return {
    component,
    name,
    origin,
    providedAs: options.providedAs,
    enabled: options.enabled ?? true,
    leaderOnly,
    election: leaderOnly ? (options.election ?? DEFAULT_ELECTION) : undefined,
    dependsOn: options.dependsOn === undefined ? NO_DEPENDENCIES : [...options.dependsOn],
    criticality: options.criticality ?? 'critical',
    completes: options.completes ?? false,
    restart: resolveRestartOptions(options.restart, defaults.restart, where),
    startTimeoutMs: options.startTimeoutMs ?? defaults.startTimeoutMs,
    stopTimeoutMs: options.stopTimeoutMs ?? defaults.stopTimeoutMs,
    onUnhealthy: options.onUnhealthy ?? 'report',
    onError: options.onError,
  };
}

function checkOptions(options: RegisterOptions, where: string): void {
  rejectUnknownOptions(options, OPTION_NAMES, where);
  assertBoolean('leaderOnly', options.leaderOnly, where);
  assertBoolean('enabled', options.enabled, where);
  assertBoolean('completes', options.completes, where);
  assertOneOf('criticality', options.criticality, ['critical', 'degradable', 'optional'], where);
  assertOneOf('onUnhealthy', options.onUnhealthy, ['report', 'restart', 'step-down'], where);
  assertTimeout('startTimeoutMs', options.startTimeoutMs, where);
  assertTimeout('stopTimeoutMs', options.stopTimeoutMs, where);
  assertFunction('onError', options.onError, where);
  checkLeaderOptions(options, where);
  checkDependsOn(options.dependsOn, where);
}

function checkLeaderOptions(options: RegisterOptions, where: string): void {
  if (options.election !== undefined) assertElectionName('election', options.election, where);
  if (options.leaderOnly === true) return;
  if (options.election !== undefined) {
    throw new InvalidComponentError(
      `Option "election" of ${where} is "${options.election}", but the component is not leader-only. ` +
        'Add leaderOnly: true, or remove the election.',
    );
  }
  if (options.onUnhealthy === 'step-down') {
    throw new InvalidComponentError(
      `Option "onUnhealthy" of ${where} is "step-down", but the component is not leader-only. ` +
        'Add leaderOnly: true, or use "restart" or "report".',
    );
  }
}

function checkDependsOn(dependsOn: unknown, where: string): void {
  if (dependsOn === undefined) return;
  if (!Array.isArray(dependsOn)) {
    throw new InvalidComponentError(`Option "dependsOn" of ${where} must be an array of names or classes.`);
  }
  for (const [index, ref] of dependsOn.entries()) {
    // An arrow function, as in `forwardRef(() => Other)`, has no prototype that anything could be an instance of.
    if ((typeof ref === 'string' && ref !== '') || isClass(ref)) continue;
    throw new InvalidComponentError(
      `Option "dependsOn[${index}]" of ${where} is ${String(ref)}, expected a name or a class. ` +
        'A class is undefined here when two files import each other: use its name instead.',
    );
  }
}

function assertOptions(options: unknown, component: unknown): void {
  if (typeof options === 'object' && options !== null) return;
  throw new InvalidComponentError(
    `The options of ${describe(component)} are ${String(options)}, expected an object. ` +
      'Write for example register(component, { leaderOnly: true }).',
  );
}

function assertStartable(component: unknown, origin: string): asserts component is Component {
  const isObject = (typeof component === 'object' && component !== null) || typeof component === 'function';
  if (isObject && hasMethod(component, 'start')) return;
  throw new InvalidComponentError(
    `${origin} is registered as a component but has no start() method. ` +
      'Add start({ signal }), or do not register it and remove @LifecycleComponent().',
  );
}

function nameOf(component: Component, options: RegisterOptions, origin: string): string {
  const own = readProperty(component, 'name');
  // A function's `name` is not a choice of its author, and a `name` that is no string is about something else.
  const name =
    typeof own === 'string' && typeof component !== 'function' ? own : (options.name ?? classNameOf(component));
  if (typeof name === 'string' && name.trim() !== '') return name;
  throw new InvalidComponentError(
    `${origin} has no usable name (${JSON.stringify(name) ?? 'undefined'}). ` +
      'Give it one with @LifecycleComponent({ name: \'...\' }), register(component, { name }) or a "name" property.',
  );
}

function classNameOf(component: Component): string | undefined {
  const prototype = Object.getPrototypeOf(component) as object | null;
  const constructor = prototype === null ? undefined : readProperty(prototype, 'constructor');
  return typeof constructor === 'function' && constructor !== Object && constructor !== Function
    ? constructor.name
    : undefined;
}

function describe(component: unknown): string {
  if (component === null || component === undefined) return String(component);
  if (typeof component !== 'object') return `A ${typeof component}`;
  return classNameOf(component as Component) ?? 'An object';
}
