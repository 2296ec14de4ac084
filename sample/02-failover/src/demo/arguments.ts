import { parseArgs } from 'node:util';
import { ENGINES, type ElectorChoice } from '../replica/elector.js';
import { COMMANDS, type CommandName } from './commands.js';

export interface DemoArguments {
  readonly engine: ElectorChoice['engine'];
  readonly url?: string;
  /** Instead of keys. */
  readonly script?: readonly CommandName[];
}

/** @throws Error that says how it is used */
export function readArguments(args: readonly string[]): DemoArguments {
  const options = { engine: { type: 'string', default: 'local' }, url: { type: 'string' }, script: { type: 'string' } };
  const { values } = parseArgs({
    args: [...args],
    options: options as { [it in keyof typeof options]: { type: 'string' } },
  });
  const engine = ENGINES.find((it) => it === values.engine);
  if (engine === undefined) throw new Error(`--engine is one of ${ENGINES.join(', ')}`);
  return {
    engine,
    ...(values.url !== undefined && { url: values.url }),
    ...(values.script !== undefined && { script: commandsOf(values.script) }),
  };
}

function commandsOf(script: string): CommandName[] {
  const names = script.split(',').map((it) => it.trim());
  const end = names.indexOf('quit');
  return (end < 0 ? names : names.slice(0, end)).map((name) => {
    if (name in COMMANDS) return name as CommandName;
    throw new Error(`--script is a list of ${Object.keys(COMMANDS).join(', ')} and quit, with commas; not "${name}"`);
  });
}
