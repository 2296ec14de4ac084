import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pack from '../test/package/pack.mjs';
import { npm } from './npm.mjs';
import { ROOT, setup } from './setup.mjs';

const VERSIONS = ['20.19.0', '22', '24', '26'];
const PROJECTS = ['unit', 'e2e-nest12', 'e2e-nest11'];
const QUICK_PROJECTS = ['unit'];
const PLATFORM = process.platform === 'win32' ? 'win' : process.platform;

const CONSUMERS = [
  { name: 'ESM app, Nest 12', type: 'module', manifest: 'package.json' },
  { name: 'CommonJS app, Nest 11', type: 'commonjs', manifest: 'test/nest11/package.json' },
];

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    // npm sets NODE for its children, and jest's workers are to be of the version under test.
    env: { ...process.env, NODE: command, NODE_OPTIONS: '' },
  });
  return { ok: status === 0, output: `${stdout}\n${stderr}` };
}

function must(step, { ok, output }) {
  if (!ok) throw new Error(`${step} failed:\n${output}`);
}

/** The package of one platform, as its install script is what the `node` package would run to fetch it. */
function nodeBinary(version) {
  const name = `node-${PLATFORM}-${process.arch}`;
  const folder = join(ROOT, '.cache', 'nodes', version);
  const binary = join(folder, 'node_modules', name, 'bin', PLATFORM === 'win' ? 'node.exe' : 'node');
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    const { status } = npm(['install', '--no-audit', '--no-fund', '--no-package-lock', `${name}@${version}`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw new Error(`${name}@${version} could not be installed`);
  }
  return binary;
}

/** Installed and compiled once, then booted by every version. */
function createConsumer({ type, manifest }) {
  const folder = mkdtempSync(join(tmpdir(), 'node-matrix-'));
  cpSync(join(ROOT, 'test/package/apps/service'), folder, { recursive: true });
  const { dependencies, devDependencies } = readJson(join(ROOT, manifest));
  const { peerDependencies, devDependencies: tools } = readJson(join(ROOT, 'package.json'));
  const ranges = { ...tools, ...dependencies, ...devDependencies };
  const names = [...Object.keys(peerDependencies), '@nestjs/platform-express', '@types/node'];
  const own = { 'nestjs-lifecycle': `file:${process.env.PACKED_TARBALL}` };
  const wanted = { ...Object.fromEntries(names.map((name) => [name, ranges[name]])), ...own };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type, dependencies: wanted }));
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    rootDir: 'src',
    outDir: 'out',
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  const { status, stderr } = npm(['install', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: folder,
    stdio: 'pipe',
    encoding: 'utf8',
  });
  must('npm install of the packed tarball', { ok: status === 0, output: stderr });
  must('The consumer', run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc')], folder));
  return folder;
}

function testOn(node, projects) {
  const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  return run(node, [...flags, jest, '--selectProjects', ...projects], ROOT);
}

const summary = (output) => /^Tests:\s+(.*)$/m.exec(output)?.[1] ?? 'no test ran';

function tryVersion(version, projects, consumers) {
  const node = nodeBinary(version);
  const exact = run(node, ['--version'], ROOT).output.trim();
  const tests = testOn(node, projects);
  const boots = consumers.map(({ name, folder }) => ({ name, ...run(node, ['out/main.js'], folder) }));
  const failed = [{ name: 'tests', ...tests }, ...boots].filter(({ ok }) => !ok);
  const outcome = failed.length === 0 ? 'ok' : `FAILED: ${failed.map(({ name }) => name).join(', ')}`;
  console.log(`Node ${exact}: ${outcome} (${projects.join(', ')}: ${summary(tests.output)}; boots: ${boots.length})`);
  for (const { name, output } of failed) console.error(`--- ${name} on ${exact}\n${output.trimEnd()}`);
  return failed.length === 0;
}

const { values, positionals } = parseArgs({ options: { quick: { type: 'boolean' } }, allowPositionals: true });
setup('.', 'test/nest11');
const unpack = pack();
const consumers = [];
try {
  for (const it of CONSUMERS) consumers.push({ name: it.name, folder: createConsumer(it) });
  const versions = positionals.length > 0 ? positionals : VERSIONS;
  const projects = values.quick ? QUICK_PROJECTS : PROJECTS;
  const outcomes = versions.map((version) => tryVersion(version, projects, consumers));
  if (outcomes.includes(false)) process.exitCode = 1;
} finally {
  for (const { folder } of consumers) rmSync(folder, { recursive: true, force: true });
  unpack();
}
