// rate-source.ts
import { Injectable } from '@nestjs/common';

@Injectable()
export class RateSource {
  async next(signal: AbortSignal): Promise<number> {
    const response = await fetch('https://rates.example/latest', { signal });
    return Number(await response.text());
  }
}
