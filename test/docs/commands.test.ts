import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { doctorArguments } from '../../lib/cli/doctor-arguments.js';
import { page, pages, ROOT, tableUnder } from './pages.js';

interface Manifest {
  readonly scripts: Record<string, string>;
  readonly engines: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** Commands of npm itself that the pages may use. */
const BUILT_IN = ['ci', 'install', 'pack'];

/** What whoever operates an engine has at hand, by the page that is about it. */
const CLIENTS: Readonly<Record<string, string>> = {
  'docs/redis.md': 'redis-cli',
  'docs/postgres.md': 'psql',
  'docs/etcd.md': 'etcdctl',
  'docs/mysql.md': 'mysql',
  'docs/doctor-cli.md': 'kubectl',
  'sample/03-kubernetes/README.md': 'kubectl',
};

const DOCTOR = 'npx nestjs-lifecycle doctor ';

describe('commands', () => {
  it('of the doctor are understood', () => {
    const lines = pages.flatMap(({ blocks }) => blocks.flatMap(({ code }) => code.split('\n')));
    const commands = lines.filter((line) => line.includes(DOCTOR)).map((line) => line.split(DOCTOR)[1] ?? '');

    expect(commands.length).toBeGreaterThan(1);
    for (const it of commands) expect(() => doctorArguments(it.split(' '))).not.toThrow();
  });

  it.each(pages.map(({ path }) => path))('of %s are npm scripts that exist', (path) => {
    const commands = [...page(path).text.matchAll(/(?:^|`)npm (?:run )?([\w:-]+)/gm)].map((match) => match[1] ?? '');

    expect(commands.filter((it) => !BUILT_IN.includes(it) && !(it in manifest.scripts))).toEqual([]);
  });

  it('in blocks are npm and curl only, and on the page of an engine its own client', () => {
    const lines = pages.flatMap(({ path, blocks }) =>
      blocks
        .filter(({ language }) => language === 'sh')
        .flatMap(({ code }) => code.replaceAll(/\\\n\s*/g, '').split('\n'))
        .filter((line) => !line.startsWith(DOCTOR) && !['npm', 'curl', CLIENTS[path]].includes(line.split(' ')[0])),
    );

    expect(lines).toEqual([]);
  });
});

describe('README', () => {
  it('names the versions that the package asks for', () => {
    const rows = tableUnder(page('README.md'), 'Versions').rows.flatMap(([names = '', range = '']) =>
      names.split(', ').map((name) => [name.replaceAll('`', ''), /`([^`]+)`/.exec(range)?.[1]]),
    );

    expect(Object.fromEntries(rows)).toEqual({ Node: manifest.engines.node, ...manifest.peerDependencies });
  });

  it('installs or names every peer', () => {
    const { text } = page('README.md');
    const [install = ''] = /^npm install .*$/m.exec(text) ?? [];
    const [named = ''] = /^.* are peers too(?:.+\n?)*/m.exec(text) ?? [];

    expect(Object.keys(manifest.peerDependencies).filter((it) => !`${install} ${named}`.includes(it))).toEqual([]);
  });
});
