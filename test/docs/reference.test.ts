import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import * as main from 'nestjs-lifecycle';
import { canTransition, Status } from '../../lib/core/status.js';
import { page, ROOT, tableUnder } from './pages.js';

const plain = (cell: string | undefined) => (cell ?? '').replaceAll('`', '');

describe('docs/states.md', () => {
  const states = Object.values(Status);

  it('draws the transitions that there are', () => {
    const [diagram] = page('docs/states.md').blocks;
    const drawn = [...(diagram?.code ?? '').matchAll(/^ +(\w+) --> (\w+)$/gm)].map(
      (match) => `${match[1]} ${match[2]}`,
    );

    const all = states.flatMap((from) => states.filter((to) => canTransition(from, to)).map((to) => `${from} ${to}`));
    expect(new Set(drawn)).toEqual(new Set(all));
  });

  it('explains every status', () => {
    const { rows } = tableUnder(page('docs/states.md'), 'States');

    expect(new Set(rows.map(([name]) => plain(name)))).toEqual(new Set(states));
  });
});

describe('docs/troubleshooting.md', () => {
  const source = readFileSync(join(ROOT, 'lib', 'core', 'errors.ts'), 'utf8');
  const codes = new Map(
    [...source.matchAll(/^export class (\w+)[^]*?readonly code = '(\w+)'/gm)].map(([, name, code]) => [name, code]),
  );

  it('lists every error with its code', () => {
    const { rows } = tableUnder(page('docs/troubleshooting.md'), 'Error codes');
    const listed = rows.map(([code, name]) => [plain(name), plain(code)]);

    const exported = Object.entries(main).filter(([name]) => name.endsWith('Error') && name !== 'LifecycleError');
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(exported.map(([name]) => [name, codes.get(name)])));
  });
});

describe('messages in docs/troubleshooting.md', () => {
  const files = readdirSync(join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' }).filter((it) =>
    it.endsWith('.ts'),
  );
  /** With strings that go over several lines put together. */
  const source = files
    .map((it) => readFileSync(join(ROOT, 'lib', it), 'utf8').replaceAll(/['`] \+\s+['`]/g, ''))
    .join('\n');
  const { rows } = tableUnder(page('docs/troubleshooting.md'), 'What the log and the probes say');

  it.each(rows.map(([message]) => plain(message)))('%s is quoted from the code', (message) => {
    const parts = message.split('...').filter((it) => it.trim().length > 1);

    expect(parts.filter((it) => !source.includes(it))).toEqual([]);
  });
});

describe('docs/events.md', () => {
  it('lists every event', () => {
    const { rows } = tableUnder(page('docs/events.md'), 'Events');

    expect(new Set(rows.map(([name]) => plain(name)))).toEqual(new Set(Object.values(main.LifecycleEvent)));
  });
});

describe('docs/decisions.md', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, object | undefined>;

  it('has a reason for every package that an app gets or has to bring', () => {
    const { rows } = tableUnder(page('docs/decisions.md'), 'Dependencies');
    const listed = rows.flatMap(([names]) => plain(names).split(', '));

    const { dependencies, peerDependencies } = manifest;
    expect(new Set(listed)).toEqual(new Set(Object.keys({ ...dependencies, ...peerDependencies })));
  });
});

describe('CONTRIBUTING.md', () => {
  it('has a row for each folder of lib/', () => {
    const { rows } = tableUnder(page('CONTRIBUTING.md'), 'The house');
    const folders = readdirSync(join(ROOT, 'lib'), { withFileTypes: true }).filter((it) => it.isDirectory());

    const listed = rows.map(([name]) => plain(name).split('/')[0]);
    expect(new Set(listed)).toEqual(new Set(folders.map(({ name }) => name)));
  });
});

describe('README.md', () => {
  it('has a row for each elector', () => {
    const { rows } = tableUnder(page('README.md'), 'Electors');
    const listed = rows.map(([elector = '']) => /^\[(\w+)/.exec(elector)?.[1]);
    const folders = readdirSync(join(ROOT, 'lib', 'electors'));

    expect(new Set(listed)).toEqual(new Set(folders));
  });

  it('maps names to names that are exported', () => {
    const { rows } = tableUnder(page('README.md'), 'From the Go package');
    const values = rows.flatMap(([, here = '']) => here.match(/\b(?:create|new )\w+/g) ?? []);

    expect(values.map((it) => it.replace('new ', '')).filter((it) => !(it in main))).toEqual([]);
  });
});
