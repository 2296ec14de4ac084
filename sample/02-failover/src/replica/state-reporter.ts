import { Injectable } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import { Leadership, LifecycleEvent, Registry, type LeadershipAcquiredEvent } from 'nestjs-lifecycle';
import { tellDemo } from './message.js';

/** Tells the demo how this replica is, whenever that has changed. */
@Injectable()
export class StateReporter {
  #since: number | undefined;

  constructor(
    private readonly registry: Registry,
    private readonly leadership: Leadership,
  ) {}

  @OnEvent(LifecycleEvent.LeadershipAcquired)
  onAcquired({ at }: LeadershipAcquiredEvent): void {
    this.#since = at;
    this.report();
  }

  @OnEvent(LifecycleEvent.LeadershipLost)
  @OnEvent(LifecycleEvent.ComponentStatus)
  report(): void {
    const term = this.leadership.term();
    const statuses = Object.entries(this.registry.status()).map(([name, { status }]) => [name, status]);
    tellDemo({
      kind: 'state',
      role: term === undefined ? 'standby' : 'leader',
      components: Object.fromEntries(statuses) as Record<string, string>,
      ...(term !== undefined && { token: String(term.fencingToken) }),
      ...(term !== undefined && this.#since !== undefined && { since: this.#since }),
    });
  }
}
