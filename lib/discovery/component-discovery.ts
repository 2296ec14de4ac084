import type { DiscoveryService } from '@nestjs/core';
import type { Component, ComponentClass } from '../core/component.js';
import { ComponentScopeError } from '../core/errors.js';
import { hasMethod, readProperty } from '../core/property.js';
import { readComponentOptions, type LifecycleComponentOptions } from '../decorators/lifecycle-component.decorator.js';

type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** A provider that is a component, with what it was marked with. */
export interface DiscoveredComponent {
  readonly component: Component;
  readonly options: LifecycleComponentOptions;
  /** Class and module, for messages. */
  readonly origin: string;
  /** The marked class, when something else was provided in its place. */
  readonly providedAs?: ComponentClass;
}

/** A marked class that something was provided for which cannot be started: a test's stand-in. */
const STAND_IN: Component = { start: () => undefined };

/**
 * Finds the marked providers of an app: classes, what factories (also asynchronous ones) returned, values, and
 * subclasses. An alias is the instance it stands for.
 *
 * A provider that replaces a marked class under its token, as `overrideProvider()` does in tests, takes its place: as
 * the component when it has a `start()`, else as a disabled one, so that what depends on it still finds it.
 *
 * @internal
 */
export class ComponentDiscovery {
  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws ComponentScopeError when a marked provider is request- or transient-scoped */
  find(): DiscoveredComponent[] {
    const found: DiscoveredComponent[] = [];
    const seen = new Set<unknown>();
    const standsIn = new Map<unknown, Set<unknown>>();
    const add = (wrapper: ProviderWrapper) => {
      const discovered = this.#inspect(wrapper);
      if (discovered === undefined) return;
      // A component is one wherever it is provided; what stands in for several is each of them.
      const known = discovered.providedAs === undefined ? seen : setOf(standsIn, discovered.providedAs);
      const { instance } = wrapper;
      if (known.has(instance)) return;
      known.add(instance);
      found.push(discovered);
    };
    const aliases: ProviderWrapper[] = [];
    for (const wrappers of [this.discovery.getProviders(), this.discovery.getControllers()]) {
      for (const wrapper of wrappers) {
        if (wrapper.isAlias) aliases.push(wrapper);
        else add(wrapper);
      }
    }
    // Last, so that a component is named after where it was made. To leave them out would lose a stand-in: on Nest 11 an
    // alias that a test overrides is still called one.
    aliases.forEach(add);
    return found;
  }

  #inspect(wrapper: ProviderWrapper): DiscoveredComponent | undefined {
    const ofClass = readComponentOptions(wrapper.metatype);
    const declared = ofClass ?? readComponentOptions(wrapper.token);
    if (wrapper.isTransient || !wrapper.isDependencyTreeStatic()) {
      // There is no instance, only a prototype that was never constructed.
      if (declared !== undefined) throw this.#scopeError(wrapper);
      return undefined;
    }
    const isPlainClass = !wrapper.isNotMetatype && !wrapper.isFactory;
    if (isPlainClass && declared === undefined) return undefined;
    return this.#inspectInstance(wrapper, ofClass);
  }

  /** @param ofClass what the class that the provider was declared with is marked with */
  #inspectInstance(
    wrapper: ProviderWrapper,
    ofClass: LifecycleComponentOptions | undefined,
  ): DiscoveredComponent | undefined {
    const instance: unknown = wrapper.instance;
    const made = classOf(instance);
    const actual = made === wrapper.metatype ? ofClass : readComponentOptions(made);
    const replaced = actual === undefined ? readComponentOptions(wrapper.token) : undefined;
    const moduleName = wrapper.host?.name ?? 'an unknown module';
    if (actual !== undefined) {
      return {
        component: instance as Component,
        options: actual,
        origin: `${made?.name ?? 'a provider'} in ${moduleName}`,
      };
    }
    if (replaced === undefined) return undefined;
    const providedAs = wrapper.token as unknown as ComponentClass;
    const options = { name: providedAs.name, ...replaced };
    const origin = `what is provided for ${providedAs.name} in ${moduleName}`;
    return hasStart(instance)
      ? { component: instance, options, origin, providedAs }
      : { component: STAND_IN, options: { ...options, enabled: false }, origin, providedAs };
  }

  #scopeError(wrapper: ProviderWrapper): ComponentScopeError {
    const scope = wrapper.isTransient ? 'transient' : 'request';
    return new ComponentScopeError(String(wrapper.name), wrapper.host?.name ?? 'unknown', scope);
  }
}

/** The class of an instance, also of one behind a proxy; a proxy that throws has none. */
function classOf(instance: unknown): { name: string } | undefined {
  if (!isObject(instance)) return undefined;
  try {
    const prototype = Object.getPrototypeOf(instance) as object | null;
    const constructor = prototype === null ? undefined : readProperty(prototype, 'constructor');
    return typeof constructor === 'function' ? constructor : undefined;
  } catch {
    return undefined;
  }
}

function hasStart(instance: unknown): instance is Component {
  try {
    return isObject(instance) && hasMethod(instance, 'start');
  } catch {
    return false;
  }
}

function setOf<K, V>(sets: Map<K, Set<V>>, key: K): Set<V> {
  const known = sets.get(key) ?? new Set();
  sets.set(key, known);
  return known;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
