import type { ComponentInfo } from '../core/component.js';
import { errorFields } from '../core/error-fields.js';
import { errorText } from '../core/error-text.js';
import { callObserver } from '../core/observer-call.js';
import type { ComponentDefinition } from './component-definition.js';
import type { ComponentHost } from './component-host.js';

/** Tells `onError`, the log and leadership what happened to one component. Decides nothing, and never throws. */
export class ComponentReporter {
  #warnedFinished = false;

  constructor(
    private readonly definition: ComponentDefinition,
    private readonly host: ComponentHost,
  ) {}

  /** @param info the component's state right after the failure */
  failed(error: unknown, info: ComponentInfo): void {
    const { name, onError } = this.definition;
    callObserver(
      () => onError?.(error, info),
      (thrown) =>
        this.host.logger.error({
          message: `onError of component "${name}" threw: ${errorText(thrown)}`,
          event: 'lifecycle.listener.failed',
          component: name,
          topic: 'onError',
          error: errorFields(thrown),
        }),
    );
  }

  /** As `failed()`, for what is not a failed run, and so is not logged with its status. */
  logAndFailed(error: Error, info: ComponentInfo): void {
    const { name } = this.definition;
    const { message } = error;
    this.host.logger.error({ message, event: 'lifecycle.component.error', component: name, error: errorFields(error) });
    this.failed(error, info);
  }

  /** Another replica might do better. Does nothing for components that run on every replica. */
  leaderTrouble(error: unknown): void {
    const { name, election } = this.definition;
    if (election !== undefined) this.host.onLeaderTrouble({ election, component: name, error });
  }

  /** Warns once. */
  finishedByItself(): void {
    if (this.#warnedFinished) return;
    this.#warnedFinished = true;
    const { name } = this.definition;
    this.host.logger.warn({
      message:
        `Component "${name}" finished by itself: start() resolved before its signal was aborted. ` +
        'If it is meant to finish, say completes: true; if it is a service, give it a stop() method.',
      event: 'lifecycle.component.finished',
      component: name,
    });
  }
}
