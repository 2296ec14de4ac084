import { HttpException } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import type { Clock } from '../core/clock.js';
import { GuardGate } from './guard-gate.js';
import { bareAnswer, jsonAnswer, sendAnswer, type ManagementAnswer } from './management-answer.js';
import type { ManagementHandler } from './management-handler.js';
import type { ManagementRoute } from './management-route.js';
import { nodeExecutionContext } from './node-execution-context.js';

/** A route behind the handler's guards. @throws when a guard cannot be made: the handler must not be served without it */
export async function handlerRoute(
  handler: ManagementHandler,
  moduleRef: ModuleRef,
  clock: Clock,
): Promise<ManagementRoute> {
  const gate = await GuardGate.create(handler.guards ?? [], moduleRef, clock);
  return {
    path: handler.path,
    owner: handler.owner,
    hasSubtree: true,
    async serve(request, response) {
      try {
        await gate.pass(nodeExecutionContext(request, response, handler));
        await handler.handle(request, response);
      } catch (error) {
        if (!(error instanceof HttpException)) throw error;
        sendAnswer(response, answerOf(error));
      }
    },
  };
}

function answerOf(error: HttpException): ManagementAnswer {
  const body = error.getResponse();
  if (typeof body === 'object') return jsonAnswer(error.getStatus(), body);
  return typeof body === 'string'
    ? jsonAnswer(error.getStatus(), { statusCode: error.getStatus(), message: body })
    : bareAnswer(error.getStatus());
}
