import { HttpException } from '@nestjs/common';
import { HEALTH_ENDPOINTS, NO_STORE, type HealthAnswers } from '../terminus/health-answers.js';
import { normalizeHealthPath } from '../terminus/health-path.js';
import { jsonAnswer, type ManagementAnswer } from './management-answer.js';
import { readRoute, type ManagementRoute } from './management-route.js';

/**
 * The endpoints of the health controller.
 *
 * @throws InvalidOptionError
 */
export function healthRoutes(path: string, answers: HealthAnswers): ManagementRoute[] {
  const base = normalizeHealthPath(path);
  const route = (below: string, answer: () => object | Promise<object>) =>
    readRoute(below === '' ? base : `${base}/${below}`, 'the health endpoints', () => answered(answer));
  return [
    route(HEALTH_ENDPOINTS.health, () => answers.health()),
    route(HEALTH_ENDPOINTS.live, () => answers.live()),
    route(HEALTH_ENDPOINTS.ready, () => answers.ready()),
    route(HEALTH_ENDPOINTS.startup, () => answers.startup()),
  ];
}

/** What Nest's exception filter makes of it. */
async function answered(answer: () => object | Promise<object>): Promise<ManagementAnswer> {
  const headers = { 'Cache-Control': NO_STORE };
  try {
    return jsonAnswer(200, await answer(), headers);
  } catch (error) {
    if (!(error instanceof HttpException)) throw error;
    return jsonAnswer(error.getStatus(), error.getResponse() as object, headers);
  }
}
