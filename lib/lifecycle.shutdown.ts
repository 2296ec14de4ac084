import { delay, settlesWithin } from './core/clock.js';
import { errorFields } from './core/error-fields.js';
import { errorStack, errorText } from './core/error-text.js';
import type { LifecycleLogger } from './core/logger.js';
import type { LifecycleParts } from './lifecycle.parts.js';

/** The share of the stop budget that a hand-over has before the rest is stopped anyway. */
const HAND_OVER_SHARE = 0.5;

/** The order in which an app stops. @param options.drains requests may still arrive, and readiness is to be seen first */
export async function stopInOrder(parts: LifecycleParts, { drains }: { readonly drains: boolean }): Promise<void> {
  const { options, logger, health, leadership, registry, bus } = parts;
  const { clock, registry: limits } = options;
  // 1. Load balancers take this replica out before anything is stopped.
  health.markStopping();
  // 2. Leader-only components stop and hand over at once: another replica can go on while this one drains.
  const handedOver = logFailure(logger, 'Handing over', leadership.stop());
  // 3. Requests still arrive until readiness has been seen.
  if (drains) await delay(clock, options.drainDelayMs);
  const deadline = clock.now() + limits.shutdownTimeoutMs;
  const leftMs = () => Math.max(1, deadline - clock.now());
  // 4. Leader-only components may use the others, so those stop after them. But neither one that hangs nor an engine
  //    that does not answer may use up the time of all.
  await settlesWithin(clock, handedOver, limits.shutdownTimeoutMs * HAND_OVER_SHARE);
  await logFailure(logger, 'Stopping', registry.stopAll({ timeoutMs: leftMs() }));
  // 5. Nothing is left that could publish or be checked.
  health.stop();
  await closeElector(parts, handedOver, leftMs);
  bus.close();
}

/** Never rejects. */
export async function logFailure(logger: LifecycleLogger, what: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const message = `${what}: ${errorText(error)}`;
    const line = { message, event: 'lifecycle.shutdown.failed', step: what, error: errorFields(error) };
    logger.error(line, errorStack(error));
  }
}

/**
 * Only once all campaigns have ended, however late that is: an elector that is closed may lose its lease at once, and
 * a rival would start while work of the term here goes on.
 */
async function closeElector(
  { elector, logger, options }: LifecycleParts,
  handedOver: Promise<void>,
  leftMs: () => number,
): Promise<void> {
  const closing = handedOver.then(() => elector.close?.());
  if (await settlesWithin(options.clock, closing, leftMs())) return logFailure(logger, 'Closing the elector', closing);
  logger.error({
    message:
      'Leadership is not handed over in order: work of a term has not settled, or the elector does not end or close in ' +
      'time. Where a lease is held, it runs out by itself.',
    event: 'lifecycle.shutdown.incomplete',
  });
}
