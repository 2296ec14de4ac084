/** What all names beyond the limit are called. */
export const OTHER = 'other';

/** Values that a label may have. */
export const MOST_NAMES = 1000;

/** Keeps a label from taking more than 1000 values: those that come first keep their names, all others share one. */
export class CappedNames {
  readonly #known = new Set<string>();

  of(name: string): string {
    if (this.#known.has(name)) return name;
    if (this.#known.size >= MOST_NAMES) return OTHER;
    this.#known.add(name);
    return name;
  }
}
