import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { jsonLines } from '../../../../lib/electors/etcd/json-lines.js';

const TEXT = '{"result":{"created":true}}\n\n{"result":{"note":"Zürich 😀"}}\n';

async function messages(parts: readonly Buffer[]): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const message of jsonLines(Readable.from(parts, { objectMode: false }))) found.push(message);
  return found;
}

describe('Messages of a stream', () => {
  test('are the same wherever their bytes are split', async () => {
    const bytes = Buffer.from(TEXT);
    const whole = await messages([bytes]);
    expect(whole).toEqual([{ result: { created: true } }, { result: { note: 'Zürich 😀' } }]);
    for (let at = 1; at < bytes.length; at++) {
      expect(await messages([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    }
    expect(await messages(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(whole);
  });

  test('that are not whole when it ends are none', async () => {
    expect(await messages([Buffer.from('{"result":1}\n{"resu')])).toEqual([{ result: 1 }]);
  });

  test('that are not JSON, or never end, break it', async () => {
    await expect(messages([Buffer.from('Not Found\n')])).rejects.toThrow(SyntaxError);
    await expect(messages([Buffer.alloc(2 << 20, 'x')])).rejects.toThrow(/too long/);
  });
});
