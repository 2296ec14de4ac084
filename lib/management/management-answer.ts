import { STATUS_CODES, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';

/** A whole response. */
export interface ManagementAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: OutgoingHttpHeaders;
}

export function jsonAnswer(status: number, body: object, headers: OutgoingHttpHeaders = {}): ManagementAnswer {
  return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(body), headers };
}

/** An answer that says no more than its status, in the form that Nest gives it. */
export function bareAnswer(status: number, headers: OutgoingHttpHeaders = {}): ManagementAnswer {
  return jsonAnswer(status, { statusCode: status, message: STATUS_CODES[status] ?? 'Error' }, headers);
}

/** To a HEAD request Node sends the same without the body. */
export function sendAnswer(response: ServerResponse, { status, contentType, body, headers }: ManagementAnswer): void {
  if (response.headersSent || response.destroyed) {
    // Half an answer must not look like a whole one.
    response.destroy();
    return;
  }
  response.writeHead(status, {
    'Cache-Control': 'no-store',
    ...headers,
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
}
