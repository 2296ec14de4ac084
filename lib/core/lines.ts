import { StringDecoder } from 'node:string_decoder';

/**
 * The lines of a stream of bytes, whatever pieces it comes in; those that are empty, and one without an end, are left out.
 *
 * @param longest of a line, in characters. @default any length
 * @throws SyntaxError when a line is longer
 */
export async function* linesOf(
  stream: AsyncIterable<unknown>,
  longest: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<string, void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const piece of stream) {
    const lines = (rest + decoder.write(piece as Buffer)).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longest) throw new SyntaxError('A line is too long');
    for (const line of lines) if (line.trim() !== '') yield line;
  }
}
