import { StringDecoder } from 'node:string_decoder';

/** The lines of a stream of bytes, whatever pieces it comes in. */
export async function* linesOf(stream: AsyncIterable<unknown>): AsyncGenerator<string, void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const piece of stream) {
    const lines = (rest + decoder.write(piece as Buffer)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield line;
  }
}
