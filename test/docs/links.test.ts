import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { page, pages, readPage, ROOT } from './pages.js';

/** The anchors that GitHub makes of headings. */
function anchorsOf(headings: readonly string[]): string[] {
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function linksOf(prose: readonly string[]): string[] {
  return [...prose.join('\n').matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
}

describe('links', () => {
  it.each(pages.map(({ path }) => path))('of %s lead somewhere', (path) => {
    const { prose } = page(path);
    const broken = linksOf(prose).filter((link) => {
      if (link.startsWith('https:')) return false;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : relative(ROOT, join(ROOT, dirname(path), file));
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(readPage(target).headings).includes(anchor);
    });

    expect(broken).toEqual([]);
  });

  it('of the index lead to every page', () => {
    const listed = linksOf(page('docs/README.md').prose);
    const all = pages.map(({ path }) => path).filter((it) => it.startsWith('docs/') && it !== 'docs/README.md');

    expect(all.filter((it) => !listed.includes(it.slice('docs/'.length)))).toEqual([]);
  });
});
