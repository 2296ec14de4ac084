import { Deferred } from './core/deferred.js';
import { DEFAULT_ELECTION } from './core/elector.js';
import { LeaseElector } from './core/lease/lease-elector.js';
import type { LeaseStore } from './core/lease/lease-store.js';
import { resolveLeaseTiming } from './core/lease/lease-timing.js';
import { LeaderOnlyCalls } from './leader-only/leader-only-calls.js';
import { resolveOptions } from './lifecycle.options.js';
import { assemble } from './lifecycle.parts.js';
import { stopInOrder } from './lifecycle.shutdown.js';

const RIVALS_TOKEN = 1n;

let rehearsed: Promise<void> | undefined;

/**
 * Goes once through a takeover and a hand-over, on parts of its own that touch nothing of the app. Code that runs for the
 * first time takes several times as long, and without this the first hand-over of a process, in which nobody leads, is
 * when the code for it is compiled. Takes some 10 ms of processor time, once a process. Never rejects.
 */
export function rehearseHandOver(): Promise<void> {
  return (rehearsed ??= rehearse().catch(() => undefined));
}

/** As `rehearseHandOver()`, each time, and rejects when it does not come to its end: for tests. */
export async function rehearse(): Promise<void> {
  const timing = resolveLeaseTiming({}, 'the rehearsal');
  const elector = new LeaseElector({ store: heldThenReleased(timing.leaseMs), timing });
  // One that composes its lines, and writes none.
  const logger = { log: () => undefined, warn: () => undefined, error: () => undefined };
  const parts = assemble(
    resolveOptions({ logger, identity: 'rehearsal', doctor: false }),
    elector,
    new LeaderOnlyCalls(),
  );
  const { registry, leadership } = parts;
  const started = new Deferred<void>();
  registry.register({ start: () => started.resolve(), stop: () => undefined }, { name: 'rehearsal', leaderOnly: true });
  await registry.startAll(new AbortController().signal, false);
  leadership.start([DEFAULT_ELECTION]);
  await started.promise;
  await stopInOrder(parts, { drains: false });
}

/** A lease that somebody has, and releases as soon as it was seen. Answers at once. */
function heldThenReleased(leaseMs: number): LeaseStore {
  const rival = { holder: 'rival#1', identity: 'rival', token: RIVALS_TOKEN, leaseMs, remainingMs: leaseMs };
  return {
    read: async () => ({ kind: 'held', ...rival }),
    acquire: async () => ({ won: true, token: RIVALS_TOKEN + 1n }),
    renew: async () => ({ renewed: true }),
    release: async () => undefined,
    watch: async (_election, onHint, signal) => {
      setImmediate(() => onHint({ token: RIVALS_TOKEN }));
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
}
