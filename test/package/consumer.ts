import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const resolveFromRoot = createRequire(join(ROOT, 'package.json')).resolve;

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ConsumerSetup {
  /** Folder of test/package/apps whose files the project starts with. */
  readonly app?: string;
  readonly type: 'module' | 'commonjs';
  readonly dependencies: Readonly<Record<string, string>>;
}

export function tarball(): string {
  const path = process.env['PACKED_TARBALL'];
  if (path === undefined) throw new Error('PACKED_TARBALL is not set: run these tests as the jest project "package".');
  return path;
}

/** The ranges that this repository itself is tested with, so that npm finds them in its cache. */
export function rangesOf(packageJson: string, names: readonly string[]): Record<string, string> {
  const manifest = JSON.parse(readFileSync(join(ROOT, packageJson), 'utf8')) as Record<string, Record<string, string>>;
  const all = { ...manifest['dependencies'], ...manifest['devDependencies'] };
  return Object.fromEntries(names.map((name) => [name, all[name] ?? '*']));
}

/** A project of a user, outside of this repository, with the packed package installed. */
export class Consumer {
  readonly folder = mkdtempSync(join(tmpdir(), 'consumer-'));

  constructor({ app, type, dependencies }: ConsumerSetup) {
    if (app !== undefined) this.addFiles(app);
    const manifest = {
      name: 'consumer',
      private: true,
      type,
      dependencies: { ...dependencies, 'nestjs-lifecycle': `file:${tarball()}` },
    };
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify(manifest, undefined, 2));
    const installed = this.run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline']);
    if (installed.status !== 0) throw new Error(`npm install failed:\n${installed.stdout}\n${installed.stderr}`);
  }

  addFiles(app: string): void {
    cpSync(join(ROOT, 'test', 'package', 'apps', app), this.folder, { recursive: true });
  }

  run(command: string, args: readonly string[]): Outcome {
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      cwd: this.folder,
      encoding: 'utf8',
      env: plainEnvironment(),
      shell: process.platform === 'win32' && command === 'npm',
      timeout: 240_000,
      maxBuffer: 64 * 1024 * 1024,
    });
    if (error !== undefined) throw error;
    return { status, stdout, stderr };
  }

  node(...args: readonly string[]): Outcome {
    return this.run(process.execPath, args);
  }

  /** With this repository's compiler on the consumer's own types, library declarations included. */
  compile(module: 'nodenext' | 'node20'): Outcome {
    const config = {
      compilerOptions: {
        target: 'es2022',
        module,
        types: ['node'],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        rootDir: 'src',
        outDir: `out-${module}`,
      },
      include: ['src'],
      exclude: ['**/*.spec.ts'],
    };
    writeFileSync(join(this.folder, `tsconfig.${module}.json`), JSON.stringify(config));
    const tsc = join(dirname(resolveFromRoot('typescript/package.json')), 'bin', 'tsc');
    return this.node(tsc, '-p', `tsconfig.${module}.json`);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Without what jest and npm have set for this process: a user's project has none of it. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_)|JEST_|NODE_OPTIONS$|NODE_ENV$)/.test(name),
  );
  return Object.fromEntries(inherited);
}
