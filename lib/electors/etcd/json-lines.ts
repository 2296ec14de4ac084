import type { Readable } from 'node:stream';

/** Far more than any message about one key. */
const LONGEST_LINE = 1 << 20;

/** The messages of a stream of JSON, one a line, however its bytes are split on the way. @throws SyntaxError */
export async function* jsonLines(stream: Readable): AsyncGenerator {
  stream.setEncoding('utf8');
  let rest = '';
  for await (const part of stream) {
    const lines = `${rest}${String(part)}`.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw new SyntaxError('A message is too long');
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line);
  }
}
