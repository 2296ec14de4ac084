/** What a kubeconfig is made of. */
type Yaml = string | number | boolean | null | Yaml[] | { [key: string]: Yaml };

interface Line {
  readonly indent: number;
  readonly text: string;
  readonly number: number;
}

const KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#&*!|>@`"'%{}[\],-][^\s:]*|-[^\s:]+):(?:\s+(.*))?$/;

/**
 * Reads a kubeconfig: JSON, or the part of YAML that kubectl and the tools of the clouds write. That is maps and lists in
 * block style, scalars in one line or folded over several, `{}` and `[]`. All else (anchors, tags, flow style, block
 * scalars, several documents) is refused rather than misread.
 *
 * @throws Error that names the line
 */
export function parseKubeconfig(text: string): Yaml {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) return JSON.parse(trimmed) as Yaml;
  const reader = new YamlReader(linesOf(text));
  return reader.document();
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trimEnd();
    const body = line.trimStart();
    if (body === '' || body.startsWith('#')) continue;
    if (body === '---' && lines.length === 0) continue;
    const indent = line.length - body.length;
    if (line.slice(0, indent).includes('\t')) throw new Error(`line ${index + 1} is indented by a tab`);
    lines.push({ indent, text: body, number: index + 1 });
  }
  return lines;
}

class YamlReader {
  #at = 0;
  readonly #lines: Line[];

  constructor(lines: readonly Line[]) {
    this.#lines = [...lines];
  }

  document(): Yaml {
    const first = this.#lines[0];
    if (first === undefined) throw new Error('it is empty');
    const value = this.#block(first.indent);
    const rest = this.#lines[this.#at];
    if (rest !== undefined) throw unreadable(rest);
    return value;
  }

  #block(indent: number): Yaml {
    const line = this.#lines[this.#at];
    return line !== undefined && isItem(line.text) ? this.#list(indent) : this.#map(indent);
  }

  #list(indent: number): Yaml[] {
    const items: Yaml[] = [];
    for (let line = this.#next(indent); line !== undefined && isItem(line.text); line = this.#next(indent)) {
      const text = line.text.slice(1).trimStart();
      const inner = indent + line.text.length - text.length;
      if (text === '') {
        this.#at++;
        items.push(this.#nested(indent + 1));
      } else if (KEY.test(text) || isItem(text)) {
        // What follows the dash begins a block of its own, there where it stands.
        this.#lines[this.#at] = { indent: inner, text, number: line.number };
        items.push(this.#block(inner));
      } else {
        this.#at++;
        items.push(this.#scalar(text, indent, line));
      }
    }
    return items;
  }

  #map(indent: number): Yaml {
    const map: { [key: string]: Yaml } = Object.create(null) as { [key: string]: Yaml };
    for (let line = this.#next(indent); line !== undefined; line = this.#next(indent)) {
      const [, key, value = ''] = KEY.exec(line.text) ?? [];
      if (key === undefined) {
        if (isItem(line.text)) break;
        throw unreadable(line);
      }
      const read = plain(key, line);
      const name = typeof read === 'string' ? read : key;
      if (name in map) throw new Error(`line ${line.number} names ${name} a second time`);
      this.#at++;
      map[name] = isComment(value) ? this.#nested(indent, true) : this.#scalar(value, indent, line);
    }
    return map;
  }

  /** The block that belongs to what stands in the line before; a list may begin below its key without more indent. */
  #nested(indent: number, mayBeList = false): Yaml {
    const line = this.#lines[this.#at];
    if (line === undefined) return null;
    if (line.indent > indent) return this.#block(line.indent);
    return mayBeList && line.indent === indent && isItem(line.text) ? this.#list(indent) : null;
  }

  /** With the lines that go on with it. */
  #scalar(text: string, indent: number, line: Line): Yaml {
    const parts = [text];
    for (let next = this.#lines[this.#at]; next !== undefined && next.indent > indent; next = this.#lines[this.#at]) {
      parts.push(next.text);
      this.#at++;
    }
    return plain(parts.join(' '), line);
  }

  #next(indent: number): Line | undefined {
    const line = this.#lines[this.#at];
    if (line === undefined || line.indent < indent) return undefined;
    if (line.indent > indent) throw unreadable(line);
    return line;
  }
}

function plain(text: string, line: Line): Yaml {
  if (text.startsWith('"')) return doubleQuoted(text, line);
  if (text.startsWith("'")) {
    const [, inner] = /^'((?:[^']|'')*)'(?:\s+#.*)?$/.exec(text) ?? [];
    if (inner === undefined) throw unreadable(line);
    return inner.replaceAll("''", "'");
  }
  const value = text.replace(/\s+#.*$/, '');
  if (value === '{}') return {};
  if (value === '[]') return [];
  if (/^[&*!|>@`%{}[\],]/.test(value) || /:\s/.test(value) || value.endsWith(':')) throw unreadable(line);
  if (value === '' || value === 'null' || value === '~') return null;
  if (value === 'true' || value === 'false') return value === 'true';
  return value;
}

function doubleQuoted(text: string, line: Line): string {
  const [, quoted] = /^("(?:[^"\\]|\\.)*")(?:\s+#.*)?$/.exec(text) ?? [];
  try {
    // Its escapes are those of JSON, with a few more that nobody needs in a kubeconfig.
    return JSON.parse(quoted ?? '') as string;
  } catch {
    throw unreadable(line);
  }
}

function isItem(text: string): boolean {
  return text === '-' || text.startsWith('- ');
}

function isComment(text: string): boolean {
  return text === '' || text.startsWith('#');
}

function unreadable({ number }: Line): Error {
  return new Error(`line ${number} is YAML of a kind that is not read here`);
}
