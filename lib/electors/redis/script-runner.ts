import { replyParts } from './lease-replies.js';
import type { RedisConnection } from './redis-connection.js';
import type { RedisConnections } from './redis-connections.js';
import { asEngineError } from './redis-errors.js';

/** One script, for one election. */
export interface ScriptCall {
  /** For people. */
  readonly operation: string;
  readonly script: string;
  readonly election: string;
  readonly parts: readonly string[];
}

/** Runs scripts on the keys of an election. What Redis refuses until somebody acts is thrown as `EngineRefusalError`. */
export class ScriptRunner {
  /** @param keyOf the key of an election, which its keys and its channel begin with */
  constructor(
    private readonly connections: RedisConnections,
    private readonly keyOf: (election: string) => string,
  ) {}

  /** A connection on which the next command is written at once. */
  async connected(operation: string, signal: AbortSignal): Promise<RedisConnection> {
    try {
      const connection = await this.connections.commands();
      await connection.untilReady(signal);
      return connection;
    } catch (error) {
      throw asEngineError(operation, error);
    }
  }

  /** @param connection from `connected()` @default one that is asked for */
  async run(call: ScriptCall, signal: AbortSignal, connection?: RedisConnection): Promise<readonly string[]> {
    const { operation, script, election, parts } = call;
    const on = connection ?? (await this.connected(operation, signal));
    const key = this.keyOf(election);
    try {
      return replyParts(operation, await on.evaluate(script, [`${key}:lease`, `${key}:token`], parts, signal));
    } catch (error) {
      throw asEngineError(operation, error);
    }
  }
}
