import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pages, ROOT, type Page } from './pages.js';

export interface Snippet {
  readonly page: Page;
  /** Its name if it names one in its first line, else one made of its line. */
  readonly file: string;
  readonly named: boolean;
  readonly code: string;
  readonly line: number;
  readonly info: string;
}

export function snippetsOf(page: Page): Snippet[] {
  return page.blocks
    .filter(({ language }) => language === 'ts')
    .map(({ code, line, info }) => {
      const name = /^\/\/ (\S+\.ts)$/m.exec(code.split('\n')[0] ?? '')?.[1];
      return { page, code, line, info, named: name !== undefined, file: name ?? `line-${line}.ts` };
    });
}

export const snippets: readonly Snippet[] = pages.flatMap(snippetsOf);

/** A folder of its own, inside the repository, so that packages resolve as they do for users. */
export function createFolder(name: string): string {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  return mkdtempSync(join(ROOT, '.cache', `docs-${name}-`));
}

/** `docs/health.md` → `health`: what the folder of a page's snippets is called. */
export function pageName({ path }: Page): string {
  return path
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .replaceAll('/', '-');
}

export function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
