import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionContext } from '@nestjs/common';

/**
 * What a guard is told about a request that no Nest platform has seen: Node's own request and response.
 *
 * @param handler of the request; its class and its `handle()` may carry metadata
 */
export function nodeExecutionContext(
  request: IncomingMessage,
  response: ServerResponse,
  handler: { handle(request: IncomingMessage, response: ServerResponse): unknown },
): ExecutionContext {
  const { handle } = handler as { handle: (this: unknown) => unknown };
  const next = () => undefined;
  const args = [request, response, next];
  const context = {
    getClass: () => handler.constructor,
    getHandler: () => handle,
    getType: () => 'http',
    getArgs: () => args,
    getArgByIndex: (index: number) => args[index],
    switchToHttp: () => ({ getRequest: () => request, getResponse: () => response, getNext: () => next }),
    switchToRpc: () => refuse('rpc'),
    switchToWs: () => refuse('ws'),
  };
  // Nest's signatures leave it to the caller to say what comes back.
  return context as unknown as ExecutionContext;
}

function refuse(type: string): never {
  throw new Error(`A request to the management server is of the type "http", not "${type}"`);
}
