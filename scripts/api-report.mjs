import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { compile } from './build.mjs';
import { ROOT } from './setup.mjs';

const STORED = join(ROOT, 'test', 'api');
// Not dist/, which a build may be clearing at the same time; not below node_modules, whose files count as another package's.
const DECLARATIONS = join('.cache', 'api');

/** Report name → entry, relative to lib/. A new elector needs no line here. */
function entries() {
  const optional = ['electors', 'metrics', 'traces'].flatMap(entriesIn);
  return [['index', 'index'], ['registry', 'registry/index'], ['testing', 'testing/index'], ...optional];
}

function entriesIn(folder) {
  return readdirSync(join(ROOT, 'lib', folder), { withFileTypes: true })
    .filter((it) => it.isDirectory() && existsSync(join(ROOT, 'lib', folder, it.name, 'index.ts')))
    .map((it) => [`${folder}-${it.name}`, `${folder}/${it.name}/index`]);
}

function report(name, entry, folder) {
  const config = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(ROOT, 'package.json'),
    configObject: {
      projectFolder: ROOT,
      mainEntryPointFilePath: join(ROOT, DECLARATIONS, `${entry}.d.ts`),
      newlineKind: 'lf',
      compiler: { tsconfigFilePath: join(ROOT, 'tsconfig.build.json') },
      apiReport: { enabled: true, reportFileName: `${name}.api.md`, reportFolder: folder, reportTempFolder: folder },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        // A type that users meet and cannot import shows up in the report, and so in the review of its change.
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.None },
          'ae-forgotten-export': { logLevel: ExtractorLogLevel.Warning, addToApiReportFile: true },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
  });
  const { succeeded } = Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      if (message.logLevel !== ExtractorLogLevel.Error) message.logLevel = ExtractorLogLevel.None;
    },
  });
  if (!succeeded) throw new Error(`No API report for ${entry}`);
  return readFileSync(join(folder, `${name}.api.md`), 'utf8');
}

function currentReports() {
  compile('tsconfig.build.json', DECLARATIONS, '--emitDeclarationOnly');
  const folder = mkdtempSync(join(tmpdir(), 'api-report-'));
  try {
    return new Map(entries().map(([name, entry]) => [`${name}.api.md`, report(name, entry, folder)]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const storedReports = () =>
  new Map(
    readdirSync(STORED)
      .filter((file) => file.endsWith('.api.md'))
      .map((file) => [file, readFileSync(join(STORED, file), 'utf8').replaceAll('\r\n', '\n')]),
  );

function update(current, stored) {
  mkdirSync(STORED, { recursive: true });
  for (const [file, text] of current) writeFileSync(join(STORED, file), text);
  for (const file of stored.keys()) if (!current.has(file)) rmSync(join(STORED, file));
}

const linesOnlyIn = (text, other) => {
  const known = new Set(other.split('\n'));
  return text.split('\n').filter((line) => !known.has(line));
};

function differences(current, stored) {
  return [...new Set([...current.keys(), ...stored.keys()])].flatMap((file) => {
    const [now, before] = [current.get(file) ?? '', stored.get(file) ?? ''];
    if (now === before) return [];
    const removed = linesOnlyIn(before, now).map((line) => `- ${line}`);
    const added = linesOnlyIn(now, before).map((line) => `+ ${line}`);
    return [`test/api/${file}`, ...removed, ...added];
  });
}

const { values } = parseArgs({ options: { check: { type: 'boolean' }, update: { type: 'boolean' } } });
const current = currentReports();
const stored = storedReports();
if (values.update) {
  update(current, stored);
} else {
  const found = differences(current, stored);
  if (found.length > 0) {
    console.error('The public API has changed. If that is meant, run `npm run api:update` and commit the reports.');
    console.error(found.join('\n'));
    process.exitCode = 1;
  }
}
