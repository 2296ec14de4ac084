import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of code. */
export interface Block {
  readonly language: string;
  /** What stands behind the language. */
  readonly info: string;
  readonly code: string;
  /** Of the fence, from 1. */
  readonly line: number;
}

export interface Table {
  /** The heading above it. */
  readonly heading: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Page {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The text without blocks, line by line. */
  readonly prose: readonly string[];
  readonly headings: readonly string[];
  readonly tables: readonly Table[];
}

export function readPage(path: string): Page {
  const text = readFileSync(join(ROOT, path), 'utf8').replaceAll('\r\n', '\n');
  const { blocks, prose } = split(text);
  const headings = prose.filter((line) => /^#+ /.test(line)).map((line) => line.replace(/^#+ /, ''));
  return { path, text, blocks, prose, headings, tables: tablesOf(prose) };
}

/** Everything that users and contributors read. */
export const pages: readonly Page[] = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs')).map((file) => `docs/${file}`),
  ...readdirSync(join(ROOT, 'sample')).map((name) => `sample/${name}/README.md`),
].map(readPage);

export function page(path: string): Page {
  const found = pages.find((it) => it.path === path);
  if (found === undefined) throw new Error(`There is no page ${path}`);
  return found;
}

/** @throws when there is not exactly one */
export function tableUnder({ path, tables }: Page, heading: string): Table {
  const found = tables.filter((it) => it.heading === heading);
  if (found[0] === undefined || found.length > 1) throw new Error(`${path}: ${found.length} tables under ${heading}`);
  return found[0];
}

function split(text: string): { blocks: Block[]; prose: string[] } {
  const blocks: Block[] = [];
  const prose: string[] = [];
  let open: { language: string; info: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const [, language = '', info = ''] = /^```(\S*) ?(.*)$/.exec(line) ?? [];
    if (!line.startsWith('```')) (open?.lines ?? prose).push(line);
    else if (open === undefined) open = { language, info, line: index + 1, lines: [] };
    else {
      const { lines, ...block } = open;
      blocks.push({ ...block, code: lines.join('\n') });
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`The block in line ${open.line} is not closed`);
  return { blocks, prose };
}

function tablesOf(prose: readonly string[]): Table[] {
  const tables: Table[] = [];
  let heading = '';
  let rows: string[][] = [];
  for (const line of [...prose, '']) {
    if (line.startsWith('|')) {
      rows.push(cellsOf(line));
      continue;
    }
    if (rows.length > 0) tables.push({ heading, header: rows[0] ?? [], rows: rows.slice(2) });
    rows = [];
    if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '');
  }
  return tables;
}

function cellsOf(line: string): string[] {
  const cells = line.split(/(?<!\\)\|/).slice(1, -1);
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}
