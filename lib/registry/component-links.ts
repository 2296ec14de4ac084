import type { ComponentDefinition } from './component-definition.js';
import { linkDependencies } from './dependency-links.js';
import type { ManagedComponent } from './managed-component.js';

const NONE: readonly ManagedComponent[] = [];

/**
 * Tells each component what it depends on and what depends on it.
 *
 * @returns the components, each after everything it depends on
 * @throws UnknownDependencyError, DependencyCycleError, InvalidDependencyError; nothing has changed then
 */
export function linkComponents(
  definitions: readonly ComponentDefinition[],
  components: ReadonlyMap<string, ManagedComponent>,
): readonly ManagedComponent[] {
  const { order, dependencies } = linkDependencies(definitions);
  const managed = (definition: ComponentDefinition) => components.get(definition.name) ?? [];
  const linked: ManagedComponent[] = [];
  for (const definition of order) {
    const component = components.get(definition.name);
    if (component !== undefined) linked.push(component);
  }
  const dependents = new Map<ManagedComponent, ManagedComponent[]>();
  // Those that come first have dependents later on, so all are known only at the end.
  for (const component of linked) {
    for (const it of dependencies.get(component.definition)?.flatMap(managed) ?? NONE) {
      const known = dependents.get(it);
      if (known === undefined) dependents.set(it, [component]);
      else known.push(component);
    }
  }
  for (const component of linked) {
    const its = dependencies.get(component.definition)?.flatMap(managed) ?? NONE;
    component.link(its, dependents.get(component) ?? NONE);
  }
  return linked;
}
