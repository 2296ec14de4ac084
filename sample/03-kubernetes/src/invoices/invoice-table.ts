import { Injectable } from '@nestjs/common';

/**
 * Stands for a table in a database that all replicas write to. There the check is a part of the statement:
 * `update ... where last_token <= $1`, and a count of 0 means that somebody newer leads.
 */
@Injectable()
export class InvoiceTable {
  #lastToken = 0n;
  #rows = 0;

  /** @returns how many rows there are. @throws Error when somebody with a higher token has written */
  async insert(token: bigint): Promise<number> {
    if (token < this.#lastToken) throw new Error(`Token ${token} is older than ${this.#lastToken}`);
    this.#lastToken = token;
    return ++this.#rows;
  }
}
