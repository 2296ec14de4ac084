export interface Engine {
  readonly name: string;
  readonly binaries: readonly string[];
  readonly package: string;
}

export const ENGINES: readonly Engine[];

/** The path of an engine's program, or `undefined` when it is not installed. */
export function findBinary(name: string): string | undefined;

export function missingEngines(): Engine[];
