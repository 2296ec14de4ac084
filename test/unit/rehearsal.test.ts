import { expect, jest, test } from '@jest/globals';
import { rehearse, rehearseHandOver } from '../../lib/lifecycle.rehearsal.js';

test('a rehearsal goes through a takeover and a hand-over, and leaves nothing behind', async () => {
  const timers = process.getActiveResourcesInfo().filter((it) => it === 'Timeout').length;
  const written = jest.spyOn(process.stdout, 'write');

  // It resolves once a component has been started by a term, and stopped with it.
  await rehearse();

  expect(process.getActiveResourcesInfo().filter((it) => it === 'Timeout')).toHaveLength(timers);
  expect(written).not.toHaveBeenCalled();
});

test('a process rehearses once', () => {
  expect(rehearseHandOver()).toBe(rehearseHandOver());
});
