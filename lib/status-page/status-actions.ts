import { errorFields } from '../core/error-fields.js';
import { errorText } from '../core/error-text.js';
import { NotRestartableError, UnknownComponentError } from '../core/errors.js';
import { guarded, type LifecycleLogger } from '../core/logger.js';
import type { Leadership } from '../leadership/leadership.js';
import type { Registry } from '../registry/registry.js';
import { jsonAnswer, refusal } from './answers.js';
import type { WholeAnswer } from './status-answer.js';

/** Somebody else has time to take over before this replica stands again. */
const COOLDOWN_MS = 5000;

const ASKED_FOR = 'asked for on the status page';

export interface ActionTargets {
  readonly registry: Pick<Registry, 'restart'>;
  readonly leadership: Pick<Leadership, 'elections' | 'stepDown'>;
}

/** What people may do on the page. Every action is logged; none is waited for. */
export class StatusActions {
  constructor(
    private readonly targets: ActionTargets,
    private readonly logger: LifecycleLogger,
  ) {}

  /** @param body as it was sent, or parsed */
  act(action: string, body: unknown): WholeAnswer {
    if (action === 'step-down') return this.#stepDown(textField(body, 'election'));
    if (action === 'restart') return this.#restart(textField(body, 'component'));
    return refusal(404, 'No such action.');
  }

  #stepDown(election: string | undefined): WholeAnswer {
    const { leadership } = this.targets;
    if (election === undefined) return refusal(400, 'The body has to be JSON: { "election": "..." }.');
    const known = leadership.elections().find((it) => it.election === election);
    if (known === undefined) return refusal(404, 'This replica does not stand for that election.');
    if (!known.leading) return refusal(409, 'This replica does not lead that election.');
    guarded(this.logger).warn({
      message: `Stepping down from the election "${election}": ${ASKED_FOR}`,
      event: 'lifecycle.status-page.step-down',
      election,
    });
    leadership.stepDown(ASKED_FOR, { election, cooldownMs: COOLDOWN_MS }).catch((error: unknown) => {
      guarded(this.logger).error({
        message: `Stepping down from the election "${election}": ${errorText(error)}`,
        event: 'lifecycle.status-page.step-down',
        election,
        error: errorFields(error),
      });
    });
    return jsonAnswer(202, { accepted: true });
  }

  #restart(component: string | undefined): WholeAnswer {
    if (component === undefined) return refusal(400, 'The body has to be JSON: { "component": "..." }.');
    try {
      this.targets.registry.restart(component);
    } catch (error) {
      // It names all the components there are.
      if (error instanceof UnknownComponentError) return refusal(404, 'No such component.');
      if (error instanceof NotRestartableError) return refusal(409, error.message);
      throw error;
    }
    guarded(this.logger).warn({
      message: `Restarting component "${component}": ${ASKED_FOR}`,
      event: 'lifecycle.status-page.restart',
      component,
    });
    return jsonAnswer(202, { accepted: true });
  }
}

function textField(body: unknown, field: string): string | undefined {
  const parsed = typeof body === 'string' ? parse(body) : body;
  if (typeof parsed !== 'object' || parsed === null || !Object.hasOwn(parsed, field)) return undefined;
  const value = (parsed as Record<string, unknown>)[field];
  return typeof value === 'string' ? value : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
