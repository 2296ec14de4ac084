import { MOST_NAMES, OTHER } from './capped-names.js';
import { ComponentFigures } from './component-figures.js';

/** Those of all components: 1000 have their own, whichever come first, and all others share one. */
export class AllComponentFigures implements Iterable<ComponentFigures> {
  readonly #figures = new Map<string, ComponentFigures>();
  #other: ComponentFigures | undefined;

  of(name: string): ComponentFigures {
    let figures = this.#figures.get(name);
    if (figures !== undefined) return figures;
    if (this.#figures.size >= MOST_NAMES) return (this.#other ??= new ComponentFigures(OTHER, true));
    this.#figures.set(name, (figures = new ComponentFigures(name)));
    return figures;
  }

  *[Symbol.iterator](): Iterator<ComponentFigures> {
    yield* this.#figures.values();
    if (this.#other !== undefined) yield this.#other;
  }
}
