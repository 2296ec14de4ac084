import { Status } from '../core/status.js';
import type { Labels } from './instrument.js';

export const STATES = Object.values(Status);

/** What is counted of one component, with its labels made once. */
export class ComponentFigures {
  readonly labels: Labels;
  starts = 0;
  failures = 0;
  /** Its health has been checked. */
  checked = false;
  #stateLabels: readonly Labels[] | undefined;

  /** @param shared by all components that have none of their own */
  constructor(
    private readonly component: string,
    readonly shared = false,
  ) {
    this.labels = { component };
  }

  /** In the order of `STATES`. */
  get stateLabels(): readonly Labels[] {
    const { component } = this;
    return (this.#stateLabels ??= STATES.map((state) => ({ component, state })));
  }
}
