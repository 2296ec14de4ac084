import { expect, test } from '@jest/globals';
import { clockOf } from '../../../../lib/electors/postgres/lease-rows.js';

test.each([
  ['no row', [], undefined],
  ['a row without it', [{ clockUs: null }], undefined],
  ['a row with it', [{ clockUs: '5000000' }], 5_000_000n],
])('the time of the server in %s', (_, rows, us) => {
  expect(clockOf(rows)).toBe(us);
});
