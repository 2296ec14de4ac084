import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CanActivate, Type } from '@nestjs/common';
import type { Clock } from '../core/clock.js';
import { errorFields } from '../core/error-fields.js';
import { errorStack, errorText } from '../core/error-text.js';
import type { LifecycleObserver } from '../core/lifecycle-observer.js';
import { guarded, type LifecycleLogger } from '../core/logger.js';
import type { StatusPageOptions } from '../core/status-page-options.js';
import { jsonAnswer, refusal } from './answers.js';
import { pageAnswer } from './page.js';
import { foreignOrigin } from './same-origin.js';
import { serveStatus } from './serve-status.js';
import { StatusActions, type ActionTargets } from './status-actions.js';
import type { StatusAnswer, StatusRequest } from './status-answer.js';
import { statusDocument, type StatusDocument } from './status-document.js';
import type { StatusEntry } from './status-entry.js';
import { StatusHistory } from './status-history.js';
import { StatusStreams } from './status-streams.js';

export interface StatusPageParts {
  readonly clock: Clock;
  readonly logger: LifecycleLogger;
}

/** What a server has to mount: everything at `path` and below it, behind the guards. */
export interface StatusPageHandler {
  readonly path: string;
  readonly owner: string;
  readonly guards: readonly (Type<CanActivate> | CanActivate)[];
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/**
 * The status page without any framework: the page, its JSON, its stream of events and its actions. Whoever serves it asks
 * the guards first.
 */
export class StatusPage {
  readonly #history: StatusHistory;
  readonly #streams: StatusStreams;
  #actions: StatusActions | undefined;
  #toldSeq = 0;

  constructor(
    private readonly options: Required<StatusPageOptions>,
    private readonly parts: StatusPageParts,
  ) {
    this.#history = new StatusHistory(options.history);
    this.#streams = new StatusStreams({ all: () => this.#all(), change: () => this.#change() }, parts.clock);
    this.#history.listen(this.#streams);
  }

  /** What the actions act on. Without it, or with the actions off, there are none. */
  connect(targets: ActionTargets): void {
    if (this.options.actions) this.#actions = new StatusActions(targets, this.parts.logger);
  }

  /** Has to be among the observers of the app. When it is detached, the streams end, so that they hold no server open. */
  get observer(): LifecycleObserver {
    return this.#history;
  }

  /** The caller has asked the guards before. Never rejects. */
  async respond(request: StatusRequest): Promise<StatusAnswer> {
    try {
      return request.path.startsWith('actions/') ? await this.#act(request) : this.#read(request);
    } catch (error) {
      const message = `Status page: ${errorText(error)}`;
      const line = { message, event: 'lifecycle.status-page.trouble', error: errorFields(error) };
      guarded(this.parts.logger).error(line, errorStack(error));
      return refusal(500, 'Internal server error');
    }
  }

  /** For a server of Node's own, whose requests have the whole path in their `url`. */
  handler(): StatusPageHandler {
    const { path } = this.options;
    const guards = this.options.guards as StatusPageHandler['guards'];
    return {
      path,
      owner: 'the status page',
      guards,
      handle: (request, response) => serveStatus(this, pathBelow(path, request.url), request, response),
    };
  }

  #read({ method, path }: StatusRequest): StatusAnswer {
    if (path !== '' && path !== 'status' && path !== 'events') return refusal(404, 'Not found');
    if (method !== 'GET' && method !== 'HEAD') return refusal(405, 'Method not allowed', { Allow: 'GET, HEAD' });
    if (path === '') return pageAnswer();
    if (this.#history.app === undefined) return refusal(503, 'The application has not been initialized yet.');
    return path === 'events' ? this.#streams.answer() : jsonAnswer(200, this.#document(this.#history.since()));
  }

  async #act(request: StatusRequest): Promise<StatusAnswer> {
    if (this.#actions === undefined) return refusal(404, 'Not found');
    if (request.method !== 'POST') return refusal(405, 'Method not allowed', { Allow: 'POST' });
    const foreign = foreignOrigin(request);
    if (foreign !== undefined) return refusal(403, foreign);
    return this.#actions.act(request.path.slice('actions/'.length), await request.body?.());
  }

  #all(): string {
    return eventOf('status', this.#document(this.#history.since()));
  }

  #change(): string {
    const news = this.#history.since(this.#toldSeq);
    this.#toldSeq = this.#history.lastSeq;
    return eventOf('change', this.#document(news));
  }

  #document(history: readonly StatusEntry[]): StatusDocument | Record<string, never> {
    const { app, limit: historyLimit, lastSeq: seq } = this.#history;
    return app ? statusDocument({ app, actions: this.options.actions, historyLimit, seq, history }) : {};
  }
}

/** JSON has no line breaks in it, which would end the event. */
function eventOf(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function pathBelow(root: string, url = ''): string {
  const [path = ''] = url.split('?', 1);
  return path.slice(root.length + 1).replace(/^\//, '');
}
