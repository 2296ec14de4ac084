import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import { BorrowedConnection } from '../../../../lib/core/connections/borrowed-connection.js';
import { ConnectionStock, type Goodbye } from '../../../../lib/core/connections/connection-stock.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';
import { gate } from '../../../fixtures/until.js';

class Connection extends BorrowedConnection {}

const never = new AbortController().signal;

/** Whose connections are opened when a test says so. */
function stockOf() {
  const made = gate();
  const ready = gate();
  const calls: string[] = [];
  const client: Goodbye = {
    async end() {
      calls.push('end');
    },
    reset: () => void calls.push('reset'),
  };
  const stock = new ConnectionStock<Connection>(
    async (homeOf) => {
      await made.promise;
      return {
        connection: new Connection(new EventEmitter(), homeOf(client)),
        ready: () => {
          calls.push('connect');
          return ready.promise;
        },
      };
    },
    new ManualClock(),
    2,
  );
  return { stock, made, ready, calls };
}

test('a connection that is made when the stock was closed is not connected', async () => {
  const { stock, made, calls } = stockOf();
  const taken = stock.take(never);
  await new Promise(setImmediate);
  await stock.close();

  made.open();

  await expect(taken).rejects.toThrow('The elector was closed');
  expect(calls).toEqual(['reset']);
});

test('a connection that is being opened when the stock is closed is reset', async () => {
  const { stock, made, ready, calls } = stockOf();
  const taken = stock.take(never);
  made.open();
  await new Promise(setImmediate);

  await stock.close();
  ready.fail(new Error('reset'));

  await expect(taken).rejects.toThrow('reset');
  expect(calls).toEqual(['connect', 'reset']);
});

test('the last one used is the first one used again, and all are ended with the stock', async () => {
  const { stock, made, ready, calls } = stockOf();
  made.open();
  ready.open();
  const one = await stock.take(never);
  const other = await stock.take(never);
  other.giveBack();
  one.giveBack();

  expect(await stock.take(never)).toBe(one);
  await stock.close();

  expect(calls).toEqual(['connect', 'connect', 'end', 'end', 'reset', 'reset']);
  await expect(stock.take(never)).rejects.toThrow('The elector was closed');
});
