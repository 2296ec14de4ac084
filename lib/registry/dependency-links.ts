import type { ComponentRef } from '../core/component.js';
import { DependencyCycleError, InvalidDependencyError, UnknownDependencyError } from '../core/errors.js';
import type { ComponentDefinition } from './component-definition.js';

/** Who waits for whom. Disabled components are bridged: their dependents wait for their dependencies. */
export interface DependencyLinks {
  /** Enabled definitions, each after everything it depends on. */
  readonly order: readonly ComponentDefinition[];
  /** Enabled direct dependencies, of those that have any. */
  readonly dependencies: ReadonlyMap<ComponentDefinition, readonly ComponentDefinition[]>;
}

/**
 * Resolves and checks `dependsOn` of all definitions.
 *
 * @throws UnknownDependencyError, DependencyCycleError, InvalidDependencyError
 */
export function linkDependencies(definitions: readonly ComponentDefinition[]): DependencyLinks {
  const direct = resolveRefs(definitions);
  if (direct.size === 0) return { order: definitions.filter((it) => it.enabled), dependencies: direct };
  const order = dependenciesFirst(definitions, direct);
  const dependencies = bridgeDisabled(order, direct);
  for (const [dependent, its] of dependencies) its.forEach((dependency) => assertReachable(dependent, dependency));
  return { order: order.filter((it) => it.enabled), dependencies };
}

type Edges = ReadonlyMap<ComponentDefinition, readonly ComponentDefinition[]>;

/** One for all that depend on nothing: there may be thousands. */
const NONE: readonly ComponentDefinition[] = [];

function resolveRefs(definitions: readonly ComponentDefinition[]): Edges {
  const edges = new Map<ComponentDefinition, readonly ComponentDefinition[]>();
  const dependents = definitions.filter((it) => it.dependsOn.length > 0);
  if (dependents.length === 0) return edges;
  const byName = new Map(definitions.map((it) => [it.name, it]));
  for (const dependent of dependents) {
    const found = dependent.dependsOn.flatMap((ref) => {
      const matches = resolveRef(ref, definitions, byName);
      if (matches.length > 0) return matches;
      throw new UnknownDependencyError(dependent.name, refText(ref), [...byName.keys()]);
    });
    if (found.length > 0) edges.set(dependent, [...new Set(found)]);
  }
  return edges;
}

function resolveRef(
  ref: ComponentRef,
  definitions: readonly ComponentDefinition[],
  byName: ReadonlyMap<string, ComponentDefinition>,
): ComponentDefinition[] {
  if (typeof ref === 'function')
    return definitions.filter((it) => it.component instanceof ref || it.providedAs === ref);
  const named = byName.get(ref);
  return named === undefined ? [] : [named];
}

function refText(ref: ComponentRef): string {
  return typeof ref === 'function' ? ref.name : ref;
}

/** Depth-first with a stack of its own: a chain of thousands of components must not overflow the call stack. */
function dependenciesFirst(definitions: readonly ComponentDefinition[], edges: Edges): ComponentDefinition[] {
  const order: ComponentDefinition[] = [];
  const done = new Set<ComponentDefinition>();
  const open = new Set<ComponentDefinition>();
  for (const root of definitions) {
    if (done.has(root)) continue;
    if (!edges.has(root)) {
      order.push(root);
      done.add(root);
      continue;
    }
    const stack = [{ node: root, next: 0 }];
    open.add(root);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const dependency = edges.get(top.node)?.[top.next++];
      if (dependency === undefined) {
        stack.pop();
        open.delete(top.node);
        order.push(top.node);
        done.add(top.node);
      } else if (open.has(dependency)) {
        const path = stack.map((it) => it.node.name);
        throw new DependencyCycleError([...path.slice(path.indexOf(dependency.name)), dependency.name]);
      } else if (!done.has(dependency)) {
        open.add(dependency);
        stack.push({ node: dependency, next: 0 });
      }
    }
  }
  return order;
}

function bridgeDisabled(order: readonly ComponentDefinition[], direct: Edges): Edges {
  const bridged = new Map<ComponentDefinition, readonly ComponentDefinition[]>();
  for (const node of order) {
    // `order` has dependencies first, so a disabled one has its own bridged list already.
    const its = direct.get(node)?.flatMap((it) => (it.enabled ? [it] : (bridged.get(it) ?? NONE)));
    if (its !== undefined) bridged.set(node, [...new Set(its)]);
  }
  for (const node of order) if (!node.enabled) bridged.delete(node);
  return bridged;
}

function assertReachable(dependent: ComponentDefinition, dependency: ComponentDefinition): void {
  if (!dependency.leaderOnly) return;
  if (!dependent.leaderOnly) {
    throw new InvalidDependencyError(
      `Component "${dependent.name}" runs on every replica but depends on "${dependency.name}", which runs only on the ` +
        `leader of election "${dependency.election}". Make "${dependent.name}" leader-only too, or remove the dependency.`,
    );
  }
  if (dependent.election === dependency.election) return;
  throw new InvalidDependencyError(
    `Component "${dependent.name}" of election "${dependent.election}" depends on "${dependency.name}" of election ` +
      `"${dependency.election}". Different replicas may lead them: give both one election, or remove the dependency.`,
  );
}
