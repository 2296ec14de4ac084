import { beforeAll, describe, expect, it } from '@jest/globals';
import { DEFAULTS } from './defaults.js';
import { exportedNames, readInterfaces } from './interfaces.js';
import { page, pages, type Table } from './pages.js';

/** Interfaces whose section says "those of ..., and:". */
const BUILT_ON: Readonly<Record<string, string>> = {
  RegisterOptions: 'LifecycleComponentOptions',
  ComponentHarnessOptions: 'LifecycleComponentOptions',
  RedisElectorOptions: 'LeaseElectorSettings',
  PostgresElectorOptions: 'LeaseElectorSettings',
  EtcdElectorOptions: 'LeaseElectorSettings',
  KubernetesElectorOptions: 'LeaseElectorSettings',
  NatsElectorOptions: 'LeaseElectorSettings',
  MysqlElectorOptions: 'LeaseElectorSettings',
};

const sections = new Map<string, Table>();
for (const table of page('docs/options.md').tables) {
  const name = /^`(\w+)`/.exec(table.heading)?.[1];
  if (name !== undefined) sections.set(name, table);
}

const nameOf = (row: readonly string[]) => (row[0] ?? '').replaceAll('`', '');

/** `30000 ms` → 30000, `` `true` `` → true, `` `'health'` `` → 'health'; words → undefined. */
function valueOf(cell: string): unknown {
  const [, number] = /^(\d+)(?: ms)?$/.exec(cell) ?? [];
  if (number !== undefined) return Number(number);
  const [, literal] = /^`(true|false|\[\]|'[^']*')`$/.exec(cell) ?? [];
  return literal === undefined ? undefined : parse(literal);
}

/** A value as TypeScript has it, in a doc comment. */
const LITERAL = /^(\d+|true|false|\[\]|'[^']*')$/;

function parse(literal: string): unknown {
  return JSON.parse(literal.replaceAll("'", '"')) as unknown;
}

describe('the options reference', () => {
  let properties: ReadonlyMap<string, ReadonlyMap<string, string>>;

  beforeAll(() => {
    properties = readInterfaces([...sections.keys()]);
  }, 120_000);

  it('has a section for every interface of options', () => {
    const exported = exportedNames().filter((it) => /^[A-Z]\w*(?:Options|Settings)$/.test(it));
    const covered = [
      // What the decorator's options are built on, and what only puts others together.
      'ComponentOptions',
      'LifecycleRootOptions',
      // What only the module passes on.
      'LeadershipOptions',
      'HealthMonitorOptions',
      // Of `pg`, which documents them.
      'PostgresClientOptions',
      // Of `mysql2`, which documents them.
      'MysqlClientOptions',
    ];

    expect(exported.filter((it) => !sections.has(it) && !covered.includes(it))).toEqual([]);
  });

  it.each([...sections.keys()])('%s has a row for each option, and no other', (name) => {
    const rows = sections.get(name)?.rows.map(nameOf) ?? [];
    const base = sections.get(BUILT_ON[name] ?? '')?.rows.map(nameOf) ?? [];
    const options = [...(properties.get(name)?.keys() ?? [])];

    expect(options.length).toBeGreaterThan(0);
    expect(options.filter((it) => !rows.includes(it) && !base.includes(it))).toEqual([]);
    expect(rows.filter((it) => !options.includes(it))).toEqual([]);
  });

  it.each(Object.keys(DEFAULTS))('%s has the defaults of the code', (name) => {
    const rows = sections.get(name)?.rows ?? [];
    const listed = rows.map((row) => [nameOf(row), valueOf(row[2] ?? '')]).filter(([, value]) => value !== undefined);

    expect(Object.fromEntries(listed)).toMatchObject(DEFAULTS[name] ?? {});
  });

  it.each(Object.keys(DEFAULTS))('the doc comments of %s have the defaults of the code', (name) => {
    for (const [option, value] of Object.entries(DEFAULTS[name] ?? {})) {
      const text = properties.get(name)?.get(option) ?? '';
      const [, inComment] = LITERAL.exec(text) ?? [];
      if (inComment !== undefined)
        expect([option, inComment]).toEqual([option, JSON.stringify(value).replaceAll('"', "'")]);
    }
  });

  it.each([...sections.keys()])('%s has the defaults of its doc comments, where they are values', (name) => {
    for (const row of sections.get(name)?.rows ?? []) {
      const [, inComment] = LITERAL.exec(properties.get(name)?.get(nameOf(row)) ?? '') ?? [];
      if (inComment !== undefined)
        expect({ row, value: valueOf(row[2] ?? '') }).toEqual({ row, value: parse(inComment) });
    }
  });

  it('gives durations in milliseconds', () => {
    const rows = [...sections.values()].flatMap((it) => it.rows).filter((row) => nameOf(row).endsWith('Ms'));

    expect(
      rows.map((row) => row[2]).filter((it) => !/^(?:\d+ ms|the module's|the lease|no limit|none)$/.test(it ?? '')),
    ).toEqual([]);
  });
});

describe('defaults that other pages name', () => {
  const all: Record<string, unknown> = Object.assign({}, ...Object.values(DEFAULTS)) as Record<string, unknown>;

  it('in tables are those of the code', () => {
    const rows = pages.flatMap(({ path, tables }) =>
      tables.filter(({ header }) => header[1] === 'default').flatMap((it) => it.rows.map((row) => ({ path, row }))),
    );
    const named = rows.map(({ path, row }) => ({
      path,
      name: nameOf(row).replace(/^\w+\./, ''),
      value: valueOf(row[1] ?? ''),
    }));
    const known = named.filter(({ name, value }) => name in all && value !== undefined);

    expect(known.length).toBeGreaterThan(15);
    for (const { path, name, value } of known) expect({ path, name, value }).toEqual({ path, name, value: all[name] });
  });

  it('in sentences are those of the code', () => {
    const found = pages.flatMap(({ prose }) => [
      ...prose.join(' ').matchAll(/`(?:\w+\.)?(\w+)` \((?:default )?(\d+)( ms)?\)/g),
    ]);

    expect(found.length).toBeGreaterThan(2);
    for (const [text, name = '', number] of found)
      expect({ text, value: Number(number) }).toEqual({ text, value: all[name] });
  });
});
