import type { ComponentDefinition } from './component-definition.js';
import { linkDependencies } from './dependency-links.js';
import type { ManagedComponent } from './managed-component.js';

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
  const linked = order.flatMap(managed);
  const dependents = new Map(linked.map((it): [ManagedComponent, ManagedComponent[]] => [it, []]));
  for (const component of linked) {
    const its = (dependencies.get(component.definition) ?? []).flatMap(managed);
    for (const it of its) dependents.get(it)?.push(component);
    component.link(its, dependents.get(component) ?? []);
  }
  return linked;
}
