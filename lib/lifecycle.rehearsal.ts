import { systemClock } from './core/clock.js';
import { Deferred } from './core/deferred.js';
import { DEFAULT_ELECTION } from './core/elector.js';
import { EventFanout } from './core/event-fanout.js';
import { LeaseElector } from './core/lease/lease-elector.js';
import type { LeaseStore } from './core/lease/lease-store.js';
import { resolveLeaseTiming } from './core/lease/lease-timing.js';
import { LifecycleEvent } from './core/lifecycle-events.js';
import { LoggingSink } from './core/logging-sink.js';
import { EventBus } from './events/event-bus.js';
import { Leadership } from './leadership/leadership.js';
import { Registry } from './registry/registry.js';

let rehearsed: Promise<void> | undefined;

/**
 * Goes once through a takeover and a hand-over, on parts of its own that touch nothing of the app: code that runs for the
 * first time takes several times as long, and otherwise the first hand-over of a process, in which nobody leads, is when
 * the engine compiles it. Takes some 10 ms, once a process. Never rejects.
 */
export function rehearseHandOver(): Promise<void> {
  return (rehearsed ??= rehearse().catch(() => undefined));
}

async function rehearse(): Promise<void> {
  const [clock, random] = [systemClock, Math.random];
  const logger = { log: () => undefined, warn: () => undefined, error: () => undefined };
  const bus = new EventBus({ logger, clock });
  const events = new EventFanout(bus);
  const registry = new Registry({ events, clock, random }).withLogger(logger);
  const elector = new LeaseElector({ store: heldThenReleased(), timing: resolveLeaseTiming({}, 'the rehearsal') });
  const sink = new LoggingSink(events, logger);
  const leadership = new Leadership({ elector, registry, events: sink, clock, logger, identity: 'rehearsal', random });
  const running = new Deferred<void>();
  events.tap((name, payload) => {
    if (name === LifecycleEvent.ComponentStatus && 'to' in payload && payload.to === 'running') running.resolve();
  });
  registry.register({ start: () => undefined, stop: () => undefined }, { name: 'rehearsal', leaderOnly: true });
  await registry.startAll(new AbortController().signal, false);
  leadership.start([DEFAULT_ELECTION]);
  await running.promise;
  await leadership.stop();
  await registry.stopAll();
  await elector.close();
  bus.close();
}

/** A lease that somebody has, and releases as soon as it was seen. Answers at once. */
function heldThenReleased(): LeaseStore {
  const token = 1n;
  const lease = { holder: 'another', identity: 'another', leaseMs: 8000, remainingMs: 8000 };
  return {
    read: async () => ({ kind: 'held', ...lease, token }),
    acquire: async () => ({ won: true, token: token + 1n }),
    renew: async () => ({ renewed: true }),
    release: async () => undefined,
    watch: async (_election, onHint, signal) => {
      setImmediate(() => onHint({ token }));
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
    rehearse: async () => undefined,
  };
}
