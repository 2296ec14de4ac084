// mailer.ts
import { Injectable } from '@nestjs/common';

@Injectable()
export class Mailer {
  readonly sent: string[] = [];

  async send(what: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.sent.push(what);
  }
}
