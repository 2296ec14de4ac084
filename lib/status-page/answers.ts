import type { StatusHeaders, WholeAnswer } from './status-answer.js';

/** On every answer: nothing of it is kept, framed, guessed at or read by another site. */
export const SAFE_HEADERS: StatusHeaders = {
  'Cache-Control': 'no-store, no-transform',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** For what is no page: a browser that shows it all the same runs and loads nothing. */
const NO_CONTENT = { 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'" } as const;

export function jsonAnswer(status: number, body: object, headers: StatusHeaders = {}): WholeAnswer {
  return {
    status,
    headers: { ...SAFE_HEADERS, ...NO_CONTENT, 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

/** In the form of Nest's own errors. */
export function refusal(status: number, message: string, headers: StatusHeaders = {}): WholeAnswer {
  return jsonAnswer(status, { statusCode: status, message }, headers);
}

export function streamHeaders(): StatusHeaders {
  return {
    ...SAFE_HEADERS,
    ...NO_CONTENT,
    'Content-Type': 'text/event-stream; charset=utf-8',
    // A proxy that collects the answer before it passes it on would show nothing for ever.
    'X-Accel-Buffering': 'no',
  };
}
