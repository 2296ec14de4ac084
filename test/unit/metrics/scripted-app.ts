import type {
  ComponentInfo,
  LifecycleLogger,
  LifecycleObserver,
  ObservedApp,
  ObservedElection,
  ObservedEvent,
  Status,
} from 'nestjs-lifecycle';
import { ManualClock } from 'nestjs-lifecycle/testing';

const silent: LifecycleLogger = { log: () => undefined, warn: () => undefined, error: () => undefined };

type StatusPayload = Extract<ObservedEvent, { name: 'lifecycle.component.status' }>['payload'];

/** An app that is what the test says, and tells one observer of it. */
export class ScriptedApp implements ObservedApp {
  readonly identity = 'replica-1';
  readonly clock = new ManualClock(1_700_000_000_000);
  readonly warnings: string[] = [];
  readonly logger: LifecycleLogger = { ...silent, warn: (message: string) => void this.warnings.push(message) };
  readonly states = new Map<string, ComponentInfo>();
  leading: Partial<ObservedElection> = { leading: false };
  election = 'default';
  calls: ReturnType<ObservedApp['leaderOnlyCalls']> = [];
  bus = { depth: 0, dropped: 0, subscriptions: 0 };
  ok = { live: true, ready: true, startup: true };

  constructor(private readonly observer: LifecycleObserver) {}

  components(): readonly ComponentInfo[] {
    return [...this.states.values()];
  }

  elections(): readonly ObservedElection[] {
    return [{ election: this.election, leading: false, ...this.leading }];
  }

  probes(): ReturnType<ObservedApp['probes']> {
    const probe = (ok: boolean) => ({ ok, reasons: [] });
    return { live: probe(this.ok.live), ready: probe(this.ok.ready), startup: probe(this.ok.startup) };
  }

  leaderOnlyCalls(): ReturnType<ObservedApp['leaderOnlyCalls']> {
    return this.calls;
  }

  eventBus(): ReturnType<ObservedApp['eventBus']> {
    return this.bus;
  }

  moves(name: string, to: Status, durationMs = 0, more: Partial<ComponentInfo> = {}): void {
    const from = this.states.get(name)?.status ?? 'pending';
    const common = { name, criticality: 'critical', restarts: more.restarts ?? 0 } as const;
    this.states.set(name, { ...common, status: to, since: 0, ...more });
    const payload: StatusPayload = { ...common, from, to, at: 0, durationMs, leaderOnly: false };
    this.observer.onEvent?.({ name: 'lifecycle.component.status', payload });
  }

  acquires(at = this.clock.wallNow()): void {
    this.leading = { leading: true, fencingToken: 1n, remainingMs: 5000 };
    const payload = { election: this.election, identity: this.identity, fencingToken: 1n, at };
    this.observer.onEvent?.({ name: 'lifecycle.leadership.acquired', payload });
  }

  loses(durationMs: number, voluntary = false): void {
    this.leading = { leading: false };
    const { identity, election } = this;
    const at = this.clock.wallNow();
    const payload = { election, identity, fencingToken: 1n, at, durationMs, reason: 'test', voluntary };
    this.observer.onEvent?.({ name: 'lifecycle.leadership.lost', payload });
  }

  /** Something of everything that is measured. @param whileLeading called while it leads */
  async lives(whileLeading: () => Promise<unknown> = async () => undefined): Promise<void> {
    const { observer } = this;
    observer.attach?.(this);
    this.moves('Feed', 'starting');
    this.moves('Feed', 'running', 30, { healthy: true });
    this.moves('Job', 'standby');
    observer.onHealthCheck?.({ name: 'Feed', healthy: true, durationMs: 4, timedOut: false });
    this.acquires();
    this.moves('Job', 'starting');
    this.moves('Job', 'failed', 20, { healthy: false });
    this.moves('Job', 'starting', 1000, { restarts: 1 });
    this.moves('Job', 'running', 10, { restarts: 1, healthy: false });
    observer.onElectorReport?.(this.election, { kind: 'renewal', latencyMs: 3, deadlineInMs: 5000 });
    observer.onElectorReport?.(this.election, { kind: 'error', operation: 'renew', error: new Error('no\nline') });
    observer.onElectorReport?.(this.election, { kind: 'refusal', operation: 'acquire', error: new Error('no') });
    await whileLeading();
    await this.clock.advance(60_000);
    this.loses(60_000);
    this.moves('Job', 'stopping', 59_000, { restarts: 1 });
    this.moves('Job', 'standby', 250, { restarts: 1 });
    this.calls = [{ method: 'Reports.nightly', election: this.election, ran: 2, skipped: 5 }];
    this.bus = { depth: 3, dropped: 1, subscriptions: 2 };
    this.ok.ready = false;
  }
}
