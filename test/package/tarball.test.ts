import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT, tarball } from './consumer.js';

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
  readonly peerDependenciesMeta: Record<string, { readonly optional?: boolean }>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

let unpacked: string;

beforeAll(() => {
  unpacked = mkdtempSync(join(tmpdir(), 'unpacked-'));
  spawnSync('tar', ['-xzf', tarball(), '-C', unpacked, '--strip-components=1'], { stdio: 'inherit' });
});

afterAll(() => rmSync(unpacked, { recursive: true, force: true }));

const files = (): string[] => readdirSync(unpacked, { recursive: true, encoding: 'utf8' });

const IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*'([^'\s]+)'|(?:\bfrom|\bimport|\brequire)\s*\(?\s*"([^"\s]+)"/g;

/** Every package that a file names, itself or through the files that it imports. */
function packagesReachedFrom(entry: string, extension: '.js' | '.d.ts'): Set<string> {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, single, double] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const specifier = single ?? double ?? '';
      if (specifier.startsWith('.')) visit(join(dirname(file), specifier.replace(/\.js$/, extension)));
      else if (!isBuiltin(specifier)) packages.add(specifier);
    }
  };
  visit(join(unpacked, 'dist', `${entry}${extension}`));
  return packages;
}

describe('the packed package', () => {
  it('has a command, which tells how it is used, and when it is used wrongly', () => {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [join(unpacked, 'dist', 'cli', 'main.js'), ...args], { encoding: 'utf8' });
    expect(readFileSync(join(unpacked, 'dist', 'cli', 'main.js'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('nestjs-lifecycle doctor') });
    expect(run('doctor')).toMatchObject({ status: 2, stderr: expect.stringContaining('--engine is missing') });
  });

  it('holds the build, the docs, the alert rules, the licence and what describes it, and nothing else', () => {
    const unexpected = files().filter(
      (file) =>
        !/^(dist([\\/].*(\.js|\.d\.ts)|[\\/][^.]*)?|docs([\\/][^.]*\.md)?|ops([\\/](alerts(\.test)?\.yml|dashboard\.json))?|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(
          file,
        ),
    );

    expect(unexpected).toEqual([]);
    expect(existsSync(join(unpacked, 'LICENSE'))).toBe(true);
  });

  it('has no dependencies of its own', () => {
    expect(manifestOf(unpacked).dependencies).toBeUndefined();
  });

  it.each(['.js', '.d.ts'] as const)('names only its peers in what the main %s reaches', (extension) => {
    const peers = Object.keys(manifestOf(unpacked).peerDependencies);
    const reached = [...packagesReachedFrom('index', extension)];

    expect(reached).toContain('@nestjs/common');
    expect(reached.filter((name) => !peers.includes(name))).toEqual([]);
  });

  it.each(['.js', '.d.ts'] as const)('loads no optional peer with the main entry (%s)', (extension) => {
    const optional = Object.keys(manifestOf(unpacked).peerDependenciesMeta);
    const reached = [...packagesReachedFrom('index', extension)];

    expect(optional).toEqual(expect.arrayContaining(['@opentelemetry/api', 'prom-client']));
    expect(reached.filter((name) => optional.includes(name))).toEqual([]);
  });

  it.each([
    ['metrics/prometheus', 'prom-client'],
    ['metrics/opentelemetry', '@opentelemetry/api'],
  ])('needs but one package for %s', (entry, library) => {
    for (const extension of ['.js', '.d.ts'] as const) {
      expect([...packagesReachedFrom(`${entry}/index`, extension)]).toEqual([library]);
    }
  });

  it.each(['.js', '.d.ts'] as const)('needs no Nest for the testing entry (%s)', (extension) => {
    const reached = [...packagesReachedFrom('testing/index', extension)];

    expect(reached.filter((name) => name !== 'reflect-metadata')).toEqual([]);
  });

  it.each(['.js', '.d.ts'] as const)('needs nothing but Node for the registry entry (%s)', (extension) => {
    expect([...packagesReachedFrom('registry/index', extension)]).toEqual([]);
  });

  it('is clean for publint, and for attw at every entry', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, 'scripts', 'check-package.mjs'), tarball()],
      { encoding: 'utf8' },
    );

    expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: expect.stringContaining('All good!') });
  });
});
