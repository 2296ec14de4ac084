import { Injectable } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import { LifecycleEvent, type ComponentStatusEvent, type HealthChangedEvent } from 'nestjs-lifecycle';

const KEPT = 50;

export interface Incident {
  readonly at: string;
  readonly component: string;
  readonly what: 'failed' | 'unhealthy' | 'healthy again';
  readonly error?: string;
}

/** What went wrong lately, for people who come later than the log line. */
@Injectable()
export class IncidentLog {
  readonly #incidents: Incident[] = [];

  list(): readonly Incident[] {
    return this.#incidents;
  }

  @OnEvent(LifecycleEvent.ComponentStatus)
  onStatus({ name, to, at, error }: ComponentStatusEvent): void {
    if (to === 'failed') this.#add({ at: isoTime(at), component: name, what: 'failed', error: String(error) });
  }

  @OnEvent(LifecycleEvent.HealthChanged)
  onHealth({ name, healthy, at, error }: HealthChangedEvent): void {
    const incident = { at: isoTime(at), component: name };
    this.#add(
      healthy ? { ...incident, what: 'healthy again' } : { ...incident, what: 'unhealthy', error: String(error) },
    );
  }

  #add(incident: Incident): void {
    this.#incidents.push(incident);
    if (this.#incidents.length > KEPT) this.#incidents.shift();
  }
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
