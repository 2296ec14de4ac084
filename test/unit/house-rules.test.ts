import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OXLINT = join(dirname(createRequire(import.meta.url).resolve('oxlint/package.json')), 'bin', 'oxlint');

const FOLDERS = [
  'core',
  'decorators',
  'discovery',
  'registry',
  'leadership',
  'leader-only',
  'events',
  'health',
  'watchdog',
  'status-page',
  'metrics',
  'metrics/opentelemetry',
  'metrics/prometheus',
  'doctor',
  'terminus',
  'management',
  'electors/memory',
  'electors/standalone',
  'traces',
  'testing',
  'cli',
];
const PACKAGES = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/event-emitter',
  '@nestjs/terminus',
  '@nestjs/common/internal.js',
  '@nestjs/microservices',
  'nestjs-lifecycle',
  'nestjs-lifecycle/testing',
  'reflect-metadata',
  '@opentelemetry/api',
  'rxjs',
  'fs',
  'ioredis',
  '@opentelemetry/api',
  '@opentelemetry/sdk-metrics',
  'prom-client',
];

/** An elector may import any package but Nest and the library itself. */
const CLIENTS = [
  'reflect-metadata',
  'rxjs',
  'fs',
  'ioredis',
  '@opentelemetry/api',
  '@opentelemetry/sdk-metrics',
  'prom-client',
];

/** The design's table, written down a second time: a rule that is loosened by mistake has to be loosened here too. */
const ALLOWED: Record<string, readonly string[]> = {
  core: [],
  decorators: ['core', '@nestjs/common', '@nestjs/common/internal.js', 'reflect-metadata'],
  discovery: ['core', 'decorators', '@nestjs/core'],
  registry: ['core'],
  leadership: ['core', 'registry'],
  'leader-only': [
    'core',
    'decorators',
    'leadership',
    '@nestjs/common',
    '@nestjs/common/internal.js',
    '@nestjs/core',
    'rxjs',
  ],
  events: ['core', '@nestjs/event-emitter'],
  health: ['core', 'registry', 'leadership'],
  watchdog: ['core'],
  'status-page': ['core', 'registry', 'leadership', '@nestjs/common', '@nestjs/common/internal.js'],
  metrics: ['core'],
  'metrics/opentelemetry': ['core', '@opentelemetry/api'],
  'metrics/prometheus': ['core', 'prom-client'],
  doctor: ['core'],
  terminus: [
    'core',
    'registry',
    'leadership',
    'health',
    '@nestjs/common',
    '@nestjs/common/internal.js',
    '@nestjs/terminus',
  ],
  management: ['core', 'terminus', '@nestjs/common', '@nestjs/common/internal.js', '@nestjs/core'],
  'electors/memory': ['core', ...CLIENTS],
  'electors/standalone': ['core', ...CLIENTS],
  traces: ['core', '@opentelemetry/api'],
  testing: ['core', 'decorators', 'registry'],
  cli: ['core', 'electors/memory', 'electors/standalone'],
};

interface Finding {
  readonly code: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

let workDir: string;
let findings: readonly Finding[];
const imports = new Map<string, string[]>();

const write = (file: string, ...specifiers: string[]): void => {
  imports.set(file, specifiers);
  mkdirSync(dirname(join(workDir, file)), { recursive: true });
  writeFileSync(join(workDir, file), specifiers.map((it) => `import '${it}';\n`).join(''));
};

const rejected = (file: string, rule: string): ReadonlySet<string | undefined> =>
  new Set(
    findings
      .filter((it) => it.filename === file && it.code === rule)
      .map((it) => imports.get(file)?.[(it.labels[0]?.span.line ?? 0) - 1]),
  );

const RESTRICTED = 'eslint(no-restricted-imports)';
const isFolder = (name: string): boolean => FOLDERS.includes(name);

/** From a file `depth` folders below `folder`: all that it could reach for. */
function candidates(folder: string, depth: number): { all: readonly string[]; forbidden: ReadonlySet<string> } {
  const up = '../'.repeat(folder.split('/').length + depth);
  const own = ['./own.js', './sub/own.js', 'node:fs', 'node:fs/promises', ...(depth > 0 ? ['../own.js'] : [])];
  const others = FOLDERS.filter((it) => it !== folder);
  const specifier = (name: string): string => (isFolder(name) ? `${up}${name}/other.js` : name);
  const named = [...others, ...PACKAGES];
  const forbidden = [
    ...named.filter((it) => !ALLOWED[folder]?.includes(it)).map(specifier),
    `${up}index.js`,
    `${up}lifecycle.options.js`,
    `${up}lifecycle.module.js`,
    `${up}../test/fixtures/any.js`,
    `${up}core/../index.js`,
    './sub/../../index.js',
  ];
  return { all: [...new Set([...own, ...named.map(specifier), ...forbidden])], forbidden: new Set(forbidden) };
}

const DEPTHS = [
  ['', 0],
  ['sub/', 1],
] as const;

beforeAll(() => {
  workDir = mkdtempSync(join(tmpdir(), 'house-rules-'));
  cpSync(join(ROOT, 'oxlint.config.mjs'), join(workDir, 'oxlint.config.mjs'));
  for (const folder of FOLDERS)
    for (const [sub, depth] of DEPTHS) write(`lib/${folder}/${sub}file.ts`, ...candidates(folder, depth).all);
  write('lib/lifecycle.options.ts', './core/status.js', './registry/registry.js', '@nestjs/common', './index.js');
  write('lib/metrics/prometheus/shared.ts', '../instruments.js', '../opentelemetry/index.js');
  write('lib/registry/hen.ts', './egg.js');
  write('lib/registry/egg.ts', './hen.js');
  writeFileSync(join(workDir, 'lib/core/re-export.ts'), `export { Registry } from '../registry/registry.js';\n`);
  writeFileSync(
    join(workDir, 'lib/core/dynamic.ts'),
    `export const later = () => import('../registry/registry.js');\n`,
  );
  writeFileSync(join(workDir, 'lib/core/type.ts'), `import type { Registry } from '../registry/registry.js';\n`);
  writeFileSync(join(workDir, 'lib/core/inline-type.ts'), `export type T = import('../registry/registry.js').T;\n`);

  const run = spawnSync(process.execPath, [OXLINT, '-c', 'oxlint.config.mjs', '-f', 'json', 'lib'], {
    cwd: workDir,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  findings = (JSON.parse(run.stdout) as { diagnostics: Finding[] }).diagnostics;
});

afterAll(() => rmSync(workDir, { recursive: true, force: true }));

describe.each(FOLDERS)('lib/%s', (folder) => {
  test.each(DEPTHS)('rejects every import that its row does not name, and no other (%sfile.ts)', (sub, depth) => {
    const { forbidden } = candidates(folder, depth);

    expect(rejected(`lib/${folder}/${sub}file.ts`, RESTRICTED)).toEqual(forbidden);
  });
});

test('lets the options import nothing but core', () => {
  expect(rejected('lib/lifecycle.options.ts', RESTRICTED)).toEqual(
    new Set(['./registry/registry.js', '@nestjs/common', './index.js']),
  );
});

test('lets an exporter import what its folder shares, and not the other exporter', () => {
  expect(rejected('lib/metrics/prometheus/shared.ts', RESTRICTED)).toEqual(new Set(['../opentelemetry/index.js']));
});

test.each(['re-export', 'dynamic', 'type'])('also sees an import in the form of a %s', (form) => {
  const codes = findings.filter((it) => it.filename === `lib/core/${form}.ts`).map((it) => it.code);

  expect(codes).toContain(RESTRICTED);
});

test('rejects type queries, which no-restricted-imports does not see', () => {
  const codes = findings.filter((it) => it.filename === 'lib/core/inline-type.ts').map((it) => it.code);

  expect(codes).toContain('typescript(consistent-type-imports)');
});

test('rejects a cycle', () => {
  expect(rejected('lib/registry/hen.ts', 'import(no-cycle)')).toEqual(new Set(['./egg.js']));
});
