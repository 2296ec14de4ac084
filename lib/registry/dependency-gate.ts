/** What a component asks about each of its dependencies. */
export interface Dependency {
  /** Whether dependents may start. */
  readonly isSatisfied: boolean;
  /** Whether waiting for it may last. */
  readonly isNotComing: boolean;
}

/**
 * The dependencies of one component that it still waits for. Only those that have changed are asked again: one may have
 * thousands, and each of them changes several times in a boot.
 */
export class DependencyGate<T extends Dependency> {
  readonly #changed: Set<T>;
  readonly #missing = new Set<T>();
  readonly #lasting = new Set<T>();

  constructor(dependencies: readonly T[]) {
    this.#changed = new Set(dependencies);
  }

  /** To be called at each change of what a dependency answers. */
  noteChange(dependency: T): void {
    this.#changed.add(dependency);
  }

  /** Whether the component may start, and the dependencies for which it may have to wait long. */
  look(): { readonly isOpen: boolean; readonly lasting: readonly T[] } {
    for (const it of this.#changed) {
      const isMissing = !it.isSatisfied;
      keep(this.#missing, it, isMissing);
      keep(this.#lasting, it, isMissing && it.isNotComing);
    }
    this.#changed.clear();
    return { isOpen: this.#missing.size === 0, lasting: [...this.#lasting] };
  }
}

function keep<T>(set: Set<T>, item: T, isIn: boolean): void {
  if (isIn) set.add(item);
  else set.delete(item);
}
