import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import ts from 'typescript';
import { page, pages, ROOT } from './pages.js';
import { createFolder, pageName, snippets, write, type Snippet } from './snippet-files.js';

const EXAMPLES = 'test/docs/examples';

describe('TypeScript snippets', () => {
  let folder: string;
  let problems: readonly string[];

  beforeAll(() => {
    folder = createFolder('snippets');
    const files = snippets.map((it) => write(join(folder, pageName(it.page), it.file), it.code));
    problems = compile(files);
  }, 120_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('compile as strict ES modules against the public API', () => {
    expect(snippets.length).toBeGreaterThan(30);
    expect(problems).toEqual([]);
  });

  it('are all checked', () => {
    expect(snippets.filter(({ info }) => info !== '').map(where)).toEqual([]);
  });

  it('have names of their own within a page', () => {
    const paths = snippets.map((it) => `${it.page.path} ${it.file}`);
    expect(paths.filter((it, index) => paths.indexOf(it) !== index)).toEqual([]);
  });

  it('import nothing from inside the library', () => {
    expect(snippets.filter(({ code }) => /from '(?:\.\.\/)+lib\//.test(code)).map(where)).toEqual([]);
  });

  function compile(files: readonly string[]): string[] {
    const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile) as { config: object };
    const { options } = ts.parseJsonConfigFileContent({ ...config, files: [...files], include: [] }, ts.sys, ROOT);
    const program = ts.createProgram([...files], options);
    // What is wrong in lib/ itself is for `npm run typecheck` to say.
    const checked = files.flatMap((it) => ts.getPreEmitDiagnostics(program, program.getSourceFile(it)));
    return checked.map(({ messageText, file, start = 0 }) => {
      const text = ts.flattenDiagnosticMessageText(messageText, ' ');
      if (file === undefined) return text;
      return `${relative(folder, file.fileName)}:${file.getLineAndCharacterOfPosition(start).line + 1} ${text}`;
    });
  }
});

describe('examples', () => {
  const examples = readdirSync(join(ROOT, EXAMPLES), { recursive: true, encoding: 'utf8' })
    .filter((it) => it.endsWith('.ts'))
    .map((it) => it.replaceAll('\\', '/'));

  it.each(examples)('%s, which is tested, is what its page shows', (example) => {
    const [folder = '', file = ''] = example.split('/');
    const shown = snippets.find((it) => it.page.path === `docs/${folder}.md` && it.file === file);

    expect(shown?.code).toBe(readFileSync(join(ROOT, EXAMPLES, example), 'utf8').trimEnd());
  });

  it('include every test that the pages show', () => {
    const tests = snippets.filter(({ file }) => file.endsWith('.test.ts'));

    expect(tests.filter((it) => !existsSync(join(ROOT, EXAMPLES, pageName(it.page), it.file))).map(where)).toEqual([]);
  });
});

describe('other blocks', () => {
  const blocks = pages.flatMap(({ path, blocks: its }) => its.map((block) => ({ path, ...block })));

  it('are in a language that is checked here or elsewhere', () => {
    const known = ['ts', 'js', 'json', 'yaml', 'sh', 'mermaid'];

    expect(blocks.filter(({ language }) => !known.includes(language))).toEqual([]);
  });

  it('parse', () => {
    for (const { language, code } of blocks) {
      if (language === 'json') JSON.parse(code);
      if (language === 'yaml') expect(parse(code)).toBeInstanceOf(Object);
    }
  });

  it.each(['jest.config.js', 'jest.ts-jest.config.js'])('%s is the one that is tried on the packed package', (file) => {
    const tried = readFileSync(join(ROOT, 'test/package/apps/jest-commonjs', file), 'utf8');

    const shown = page('docs/testing.md').blocks.filter(({ language }) => language === 'js');
    expect(shown.map(({ code }) => `${code}\n`)).toContain(`// ${file}\n${tried}`);
  });
});

function where({ page: { path }, line }: Snippet): string {
  return `${path}:${line}`;
}
