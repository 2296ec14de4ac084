import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StatusPage } from './status-page.js';
import type { StatusSink } from './status-answer.js';

/** An action names a component or an election. */
const MAX_BODY = 64 * 1024;

/**
 * Answers on Node's own request and response, which Express and Fastify have as well. Never rejects.
 *
 * @param path below the page
 * @param parsed the body, where a framework has read it already
 */
export async function serveStatus(
  page: Pick<StatusPage, 'respond'>,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  parsed?: unknown,
): Promise<void> {
  const { method = 'GET', headers } = request;
  const body = () => (parsed === undefined ? textOf(request) : parsed);
  const answer = await page.respond({ method, path, headers, body });
  if (response.destroyed || response.headersSent) return;
  if ('body' in answer) {
    response.writeHead(answer.status, { ...answer.headers, 'Content-Length': Buffer.byteLength(answer.body) });
    response.end(answer.body);
    return;
  }
  response.writeHead(answer.status, answer.headers);
  if (method === 'HEAD') {
    response.end();
    return;
  }
  const close = answer.stream(sinkOf(response));
  response.on('close', close);
}

function sinkOf(response: ServerResponse): StatusSink {
  // Without a listener, what goes wrong on the way to a client that is gone would end the process.
  response.on('error', () => undefined);
  return {
    write: (chunk) => response.write(chunk),
    onDrain: (listener) => void response.on('drain', listener),
    end: () => void response.end(),
    destroy: () => void response.destroy(),
  };
}

/** Empty when there is none, it was read by somebody else, or it is longer than any that has a meaning. */
async function textOf(request: IncomingMessage): Promise<string> {
  if (request.readableEnded || request.readableDidRead) return '';
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Read to its end all the same: the client gets its answer only then.
    if (length <= MAX_BODY) chunks.push(chunk);
  }
  return length <= MAX_BODY ? Buffer.concat(chunks).toString('utf8') : '';
}
