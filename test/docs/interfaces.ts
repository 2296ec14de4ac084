import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './pages.js';

let cached: { readonly checker: ts.TypeChecker; readonly files: readonly ts.SourceFile[] } | undefined;

/** The library as TypeScript sees it; read once. */
function library(): NonNullable<typeof cached> {
  if (cached !== undefined) return cached;
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.build.json'), ts.sys.readFile) as { config: object };
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const program = ts.createProgram(fileNames, options);
  const files = program.getSourceFiles().filter((it) => fileNames.includes(it.fileName));
  return (cached = { checker: program.getTypeChecker(), files });
}

/** Members of interfaces, inherited ones included, with what their doc comments call the default. */
export function readInterfaces(names: readonly string[]): Map<string, Map<string, string>> {
  const { checker, files } = library();
  const interfaces = new Map<string, Map<string, string>>();
  for (const declaration of files.flatMap((it) => it.statements.filter(ts.isInterfaceDeclaration))) {
    if (!names.includes(declaration.name.text)) continue;
    const members = checker.getPropertiesOfType(checker.getTypeAtLocation(declaration));
    interfaces.set(declaration.name.text, new Map(members.map((it) => [it.name, defaultTagOf(it)])));
  }
  return interfaces;
}

/** Everything that users can import, types included. */
export function exportedNames(): string[] {
  const { checker, files } = library();
  return files
    .filter(({ fileName }) =>
      /lib\/(?:index|testing\/index|(?:electors|metrics|traces)\/[^/]+\/index)\.ts$/.test(fileName),
    )
    .flatMap((file) => {
      const module = checker.getSymbolAtLocation(file);
      return module === undefined ? [] : checker.getExportsOfModule(module).map(({ name }) => name);
    });
}

function defaultTagOf(member: ts.Symbol): string {
  const tag = member.getJsDocTags().find(({ name }) => name === 'default');
  return ts.displayPartsToString(tag?.text);
}
