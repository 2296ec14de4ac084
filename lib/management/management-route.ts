import type { IncomingMessage, ServerResponse } from 'node:http';
import { bareAnswer, sendAnswer, type ManagementAnswer } from './management-answer.js';

/** Who answers for a path. */
export interface ManagementRoute {
  /** Without slashes around it. */
  readonly path: string;
  /** Everything below the path is its as well. */
  readonly hasSubtree: boolean;
  /** For people: whose it is. */
  readonly owner: string;
  /** Gives a whole response, or rejects. */
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** A route that can only be read: GET and HEAD. */
export function readRoute(path: string, owner: string, read: () => Promise<ManagementAnswer>): ManagementRoute {
  return {
    path,
    owner,
    hasSubtree: false,
    async serve({ method }, response) {
      const isRead = method === 'GET' || method === 'HEAD';
      sendAnswer(response, isRead ? await read() : bareAnswer(405, { Allow: 'GET, HEAD' }));
    },
  };
}
