import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import ts from 'typescript';
import { page, ROOT } from './pages.js';
import { createFolder, snippetsOf, write } from './snippet-files.js';

const BOOT_MS = 20_000;

export interface ServiceOptions {
  /** Files to take instead of the page's, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** The named snippets of a page, compiled and run by Node in a process of their own, as a user would. */
export class Service {
  output = '';
  readonly url: string;
  readonly #exited: Promise<[number | null, string | null]>;

  private constructor(
    private readonly folder: string,
    private readonly child: ChildProcess,
    port: number,
  ) {
    this.url = `http://127.0.0.1:${port}`;
    this.#exited = once(child, 'exit') as Promise<[number | null, string | null]>;
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (this.output += String(chunk)));
  }

  /** Runs `main.ts` of a page. */
  static async start(path: string, { files = {}, env = {} }: ServiceOptions = {}): Promise<Service> {
    const folder = createFolder('service');
    installLibrary(join(folder, 'node_modules', 'nestjs-lifecycle'));
    write(join(folder, 'package.json'), '{ "type": "module" }');
    for (const { file, code, named } of snippetsOf(page(path))) {
      if (named) write(join(folder, file.replace(/ts$/, 'js')), transpile(files[file] ?? code));
    }
    const port = await freePort();
    const environment = { ...process.env, ...env, PORT: String(port), NO_COLOR: '1' };
    return new Service(folder, spawn(process.execPath, ['main.js'], { cwd: folder, env: environment }), port);
  }

  /** @throws when it does not answer in time, with all that it printed */
  async get(path: string): Promise<{ status: number; body: unknown }> {
    for (const deadline = Date.now() + BOOT_MS; Date.now() < deadline; await sleep(100)) {
      if (this.child.exitCode !== null) break;
      try {
        const response = await fetch(this.url + path);
        return { status: response.status, body: await response.json() };
      } catch {
        // Not listening yet.
      }
    }
    throw new Error(`${path} is not answered:\n${this.output}`);
  }

  /** @returns the exit code, or the signal that ended it */
  async stop(signal: NodeJS.Signals): Promise<number | string | null> {
    this.child.kill(signal);
    const [code, endedBy] = await this.#exited;
    return code ?? endedBy;
  }

  remove(): void {
    if (this.child.exitCode === null) this.child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function installLibrary(folder: string): void {
  for (const file of readdirSync(join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const code = readFileSync(join(ROOT, 'lib', file), 'utf8');
    write(join(folder, 'dist', file.replace(/ts$/, 'js')), transpile(code));
  }
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
}

function transpile(code: string): string {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
  };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
