import { expect, test } from '@jest/globals';
import { unavailable } from '../../../lib/terminus/probe-response.js';

test('an answer of 503 notes down no stack, and errors after it do', () => {
  const answer = unavailable({ status: 'error' });

  expect(answer.getStatus()).toBe(503);
  expect(answer.getResponse()).toEqual({ status: 'error' });
  expect(answer.stack).not.toContain('\n    at ');
  expect(new Error('later').stack).toContain('\n    at ');
});
