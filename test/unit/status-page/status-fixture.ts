import type { ComponentInfo } from '../../../lib/core/component.js';
import type { ComponentStatusEvent } from '../../../lib/core/lifecycle-events.js';
import type { ObservedApp, ObservedElection, ObservedEvent } from '../../../lib/core/lifecycle-observer.js';
import { silentLogger } from '../../../lib/core/logger.js';
import type { StatusAnswer, StatusRequest, StatusSink, WholeAnswer } from '../../../lib/status-page/status-answer.js';
import { StatusPage } from '../../../lib/status-page/status-page.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

/** Keeps what is written, and is full when it is told to be. */
export class RecordingSink implements StatusSink {
  readonly chunks: string[] = [];
  full = false;
  ended = false;
  destroyed = false;
  #drain: () => void = () => undefined;

  write(chunk: string): boolean {
    this.chunks.push(chunk);
    return !this.full;
  }

  onDrain(listener: () => void): void {
    this.#drain = listener;
  }

  drain(): void {
    this.full = false;
    this.#drain();
  }

  end(): void {
    this.ended = true;
  }

  destroy(): void {
    this.destroyed = true;
  }

  /** Names of the events, in order. */
  get events(): string[] {
    return [...this.chunks.join('').matchAll(/^event: (\w+)$/gm)].map((it) => it[1] ?? '');
  }
}

/** A status page of an app that is what a test says. */
export class StatusFixture {
  readonly clock = new ManualClock(1_700_000_000_000);
  readonly components: ComponentInfo[] = [];
  readonly elections: ObservedElection[] = [];
  readonly restarted: string[] = [];
  readonly steppedDown: string[] = [];
  readonly log: string[] = [];
  restart: (name: string) => void = (name) => void this.restarted.push(name);
  readonly page: StatusPage;

  constructor({ actions = false, history = 200 } = {}) {
    const say = (message: string) => void this.log.push(message);
    const logger = { log: say, warn: say, error: say };
    this.page = new StatusPage({ path: 'lifecycle', guards: [], actions, history }, { clock: this.clock, logger });
    this.page.connect({
      registry: { restart: (name) => this.restart(name) },
      leadership: {
        elections: () => this.elections,
        stepDown: (_, options) => {
          this.steppedDown.push(`${options?.election} ${options?.cooldownMs}`);
          return Promise.resolve();
        },
      },
    });
  }

  attach(): this {
    const up = { ok: true, reasons: [] };
    const app: ObservedApp = {
      identity: 'me',
      clock: this.clock,
      logger: silentLogger,
      components: () => this.components,
      elections: () => this.elections,
      probes: () => ({ live: up, ready: up, startup: up }),
      leaderOnlyCalls: () => [],
      eventBus: () => ({ depth: 0, dropped: 0, subscriptions: 0 }),
    };
    this.page.observer.attach?.(app);
    return this;
  }

  /** A component goes on. */
  tell(name = 'feed', rest: Partial<ComponentStatusEvent> = {}): void {
    const payload: ComponentStatusEvent = {
      name,
      from: 'starting',
      to: 'running',
      at: this.clock.wallNow(),
      durationMs: 5,
      leaderOnly: false,
      criticality: 'critical',
      restarts: 0,
      ...rest,
    };
    this.page.observer.onEvent?.({ name: 'lifecycle.component.status', payload });
  }

  observe(event: ObservedEvent): void {
    this.page.observer.onEvent?.(event);
  }

  ask(path: string, request: Partial<StatusRequest> = {}): Promise<StatusAnswer> {
    return this.page.respond({ method: 'GET', path, headers: {}, ...request });
  }

  async whole(path: string, request?: Partial<StatusRequest>): Promise<WholeAnswer> {
    const answer = await this.ask(path, request);
    if (!('body' in answer)) throw new Error('It is a stream');
    return answer;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it
  async status(): Promise<any> {
    return JSON.parse((await this.whole('status')).body);
  }

  async stream(): Promise<{ sink: RecordingSink; close: () => void }> {
    const answer = await this.ask('events');
    if (!('stream' in answer)) throw new Error(`Refused: ${answer.status}`);
    const sink = new RecordingSink();
    return { sink, close: answer.stream(sink) };
  }

  act(action: string, body: unknown, headers: StatusRequest['headers'] = { 'x-lifecycle-action': '1' }) {
    return this.whole(`actions/${action}`, { method: 'POST', headers, body: () => body });
  }
}
