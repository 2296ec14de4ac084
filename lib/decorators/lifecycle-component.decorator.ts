import 'reflect-metadata';
import type { Component, ComponentOptions } from '../core/component.js';

/**
 * A fixed string: when two copies of this package are loaded, each reads what the other wrote.
 */
const METADATA_KEY = 'nestjs-lifecycle:component';

/**
 * Options of `@LifecycleComponent()`.
 *
 * @publicApi
 */
export interface LifecycleComponentOptions extends ComponentOptions {
  /**
   * Whether this process runs the component at all; a function is called once at bootstrap with the module's options,
   * so that web and worker processes can run one image. A disabled component is not registered; what depends on it
   * behaves as if it depended on the dependencies of this one instead.
   *
   * @default true
   */
  readonly enabled?: boolean | ((moduleOptions: object) => boolean);
}

/** A class whose instances can be started: others do not compile under the decorator. */
type StartableClass = abstract new (...args: never[]) => Component;

/**
 * Marks a provider as a component: `LifecycleModule` finds it at bootstrap, starts and stops it. Subclasses are marked
 * with it. Does not make the class injectable: add `@Injectable()` where it has dependencies.
 *
 * @param options `true` is short for `{ leaderOnly: true }`
 * @publicApi
 */
export function LifecycleComponent(options: LifecycleComponentOptions | true = {}): (target: StartableClass) => void {
  const resolved: LifecycleComponentOptions = options === true ? { leaderOnly: true } : options;
  return (target) => Reflect.defineMetadata(METADATA_KEY, resolved, target);
}

/** The options a class was marked with, itself or by inheritance; `undefined` when it is not marked. */
export function readComponentOptions(target: unknown): LifecycleComponentOptions | undefined {
  if (typeof target !== 'function') return undefined;
  try {
    return Reflect.getMetadata(METADATA_KEY, target) as LifecycleComponentOptions | undefined;
  } catch {
    // A proxy whose traps throw.
    return undefined;
  }
}
