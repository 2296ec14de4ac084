import type { Readable } from 'node:stream';
import { linesOf } from '../../core/lines.js';

/** Far more than any message about one key. */
const LONGEST_LINE = 1 << 20;

/** The messages of a stream of JSON, one a line, however its bytes are split on the way. @throws SyntaxError */
export async function* jsonLines(stream: Readable): AsyncGenerator {
  for await (const line of linesOf(stream, LONGEST_LINE)) yield JSON.parse(line);
}
