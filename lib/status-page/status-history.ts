import type {
  AppPhase,
  LifecycleObserver,
  ObservedApp,
  ObservedEvent,
  TermProgress,
} from '../core/lifecycle-observer.js';
import type { StatusEntry, StatusFact } from './status-entry.js';
import { factOf, factText } from './status-fact.js';

/** Hears of what the history has taken down, and of its end. Must not throw. */
export interface HistoryListener {
  onEntry(): void;
  onEnd(): void;
}

/** The last things that happened in an app, oldest first. Keeps no error, and no object of the app's. */
export class StatusHistory implements LifecycleObserver {
  readonly #entries: StatusEntry[] = [];
  /** Where the oldest entry is, once the ring is full. */
  #start = 0;
  #seq = 0;
  #app: ObservedApp | undefined;
  #listener: HistoryListener | undefined;
  #ended = false;

  constructor(readonly limit: number) {}

  /** Absent before the app has attached it. */
  get app(): ObservedApp | undefined {
    return this.#app;
  }

  /** Everything has stopped. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Number of the latest entry; the first is 1. */
  get lastSeq(): number {
    return this.#seq;
  }

  listen(listener: HistoryListener): void {
    this.#listener = listener;
  }

  /** @param seq only those after the entry with this number. @default all that are kept */
  since(seq = 0): readonly StatusEntry[] {
    const inOrder = [...this.#entries.slice(this.#start), ...this.#entries.slice(0, this.#start)];
    const missing = Math.max(0, this.#seq - seq);
    return missing >= inOrder.length ? inOrder : inOrder.slice(inOrder.length - missing);
  }

  attach(app: ObservedApp): void {
    this.#app = app;
  }

  onEvent(event: ObservedEvent): void {
    this.#add(event.payload.at, factOf(event));
  }

  onTermProgress({ stage, election, identity, fencingToken, at, durationMs }: TermProgress): void {
    this.#add(at, { kind: stage, election, identity, fencingToken: String(fencingToken), durationMs });
  }

  onPhase({ phase, state, at, durationMs, error }: AppPhase): void {
    this.#add(at, {
      kind: 'phase',
      phase,
      state,
      ...(durationMs !== undefined && { durationMs }),
      ...(error !== undefined && { error: factText(error) }),
    });
  }

  detach(): void {
    this.#ended = true;
    this.#listener?.onEnd();
  }

  #add(at: number, fact: StatusFact): void {
    const entry: StatusEntry = { seq: ++this.#seq, at, ...fact };
    if (this.#entries.length < this.limit) {
      this.#entries.push(entry);
    } else {
      this.#entries[this.#start] = entry;
      this.#start = (this.#start + 1) % this.limit;
    }
    this.#listener?.onEntry();
  }
}
