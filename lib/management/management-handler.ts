import type { IncomingMessage, ServerResponse } from 'node:http';

/** Nest's `CanActivate`. */
export interface ManagementGuard {
  canActivate(context: never): unknown;
}

/** Serves a path of the management server and everything below it, with any method, on Node's own request and response. */
export interface ManagementHandler {
  /** Without slashes around it. */
  readonly path: string;
  /** For people: whose it is. */
  readonly owner: string;
  /** All have to let a request pass before the handler sees it: classes, which the app makes, or instances. */
  readonly guards?: readonly (ManagementGuard | (new (...args: never[]) => ManagementGuard))[];
  /**
   * Gives a whole response. What it throws or rejects with is answered 500, or with the status of an HttpException. A
   * stream on which nothing moves for 30 s is cut.
   */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void> | void;
}
